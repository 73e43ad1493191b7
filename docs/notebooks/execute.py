"""Run the notebooks of this folder and write their outputs; with ``--check`` nothing is written.

IPython runs the cells in this process, so that no kernel and no server is needed. A cell that fails stops the run.
"""

from __future__ import annotations

import json
import sys
from base64 import b64encode
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


def main() -> int:
    for path in sorted(HERE.glob("*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        execute(notebook)
        if "--check" not in sys.argv:
            path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(path.name)
    return 0


def execute(notebook: dict[str, Any]) -> None:
    """Run the cells in order and put what they show into them."""
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    shell.reset()
    shell.displayhook.write_output_prompt = shell.displayhook.write_format_data = lambda *_: None
    shell.display_formatter.active_types = shell.display_formatter.format_types
    for count, cell in enumerate((cell for cell in notebook["cells"] if cell["cell_type"] == "code"), start=1):
        with redirect_stdout(StringIO()) as printed:
            done = shell.run_cell("".join(cell["source"]), store_history=False)
        done.raise_error()
        cell["execution_count"] = count
        cell["outputs"] = [_text(printed.getvalue())] if printed.getvalue().strip() else []
        if done.result is not None:
            cell["outputs"].append(_display(shell.display_formatter.format(done.result)[0]))


def _text(text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}


def _display(data: dict[str, Any]) -> dict[str, Any]:
    kinds = [kind for kind in ("text/html", "image/svg+xml", "image/png", "text/plain") if kind in data]
    shown = {kind: data[kind] for kind in kinds if kind != "image/png"}
    data = {kind: text.splitlines(keepends=True) for kind, text in shown.items()} | _picture(data)
    return {"output_type": "display_data", "metadata": {}, "data": data}


def _picture(data: dict[str, Any]) -> dict[str, str]:
    picture = data.get("image/png")
    return (
        {} if picture is None else {"image/png": b64encode(picture).decode() if isinstance(picture, bytes) else picture}
    )


if __name__ == "__main__":
    sys.exit(main())
