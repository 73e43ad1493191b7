"""``python -m kinetune`` is ``kinetune``."""

from kinetune.cli import main

if __name__ == "__main__":
    main()
