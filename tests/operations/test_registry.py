"""The registry: operations by tag, each loaded when it is asked for."""

import subprocess
import sys

import pytest

from kinetune.errors import UnknownNameError
from kinetune.operations import OPERATIONS, Operation, find_operation

_LOADED = "print(*sorted(name.rpartition('.')[2] for name in sys.modules if name.startswith('kinetune.operations.')))"


def loaded_by(code: str) -> set[str]:
    """The modules of operations that a fresh process has loaded after running some code."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\n{_LOADED}"], capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


def test_tags_are_known_before_anything_is_loaded():
    code = "from kinetune.operations import OPERATIONS; assert len(list(OPERATIONS)) == len(OPERATIONS) > 20"
    assert loaded_by(f"{code}; assert 'smooth' in OPERATIONS") == {"_region", "base"}


def test_asking_for_one_loads_no_other():
    loaded = loaded_by("from kinetune.operations import OPERATIONS; OPERATIONS['trim']")
    assert loaded == {"_parameters", "_region", "base", "trim"}


def test_a_command_loads_its_own_operation_only():
    main = "from kinetune.cli import main\ntry: main(['trim', '--help'])\nexcept SystemExit: pass"
    assert loaded_by(main) == {"_parameters", "_region", "base", "trim"}


def test_every_operation_has_the_tag_of_its_place():
    for tag, operation in OPERATIONS.items():
        assert issubclass(operation, Operation)
        assert operation.tag() == tag
        assert find_operation(tag) is operation


def test_one_of_your_own_can_come_and_go():
    trim = OPERATIONS["trim"]
    OPERATIONS["my_trim"] = trim
    assert find_operation("my_trim") is trim
    del OPERATIONS["my_trim"]
    with pytest.raises(UnknownNameError, match="my_trim"):
        find_operation("my_trim")
