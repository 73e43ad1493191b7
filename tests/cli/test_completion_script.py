"""Completion scripts: what the Tab key offers."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Kinetune

BASH = shutil.which("bash")


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from kinetune.cli.completion_script import completion_script

    path = tmp_path_factory.mktemp("completion") / "kinetune.bash"
    path.write_text(completion_script("bash"))
    return path


@pytest.mark.skipif(BASH is None, reason="needs bash")
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["smo"], ["smooth"]),
        (["smooth", "--cut"], ["--cutoff-hz"]),
        (["draw", "str"], ["strip"]),
        (["equalize", "walk.bvh", "--preset", "n"], ["nervous"]),
        (["draw", "strip", "--view", "to"], ["top"]),
        (["completion", "z"], ["zsh"]),
        (["info", "sample", ":", "walk-s"], ["walk-sad", "walk-stagger"]),
    ],
)
def test_bash_offers_commands_flags_choices_and_samples(script: Path, typed: list[str], offered: list[str]) -> None:
    words = " ".join(["kinetune", *typed])
    ask = f'. {script}; COMP_WORDS=({words}); COMP_CWORD={len(typed)}; _kinetune; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run([str(BASH), "-c", ask], capture_output=True, text=True, check=True)
    assert done.stdout.split() == offered


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_know_every_command(kinetune: Kinetune, shell: str) -> None:
    script = kinetune("completion", shell)
    assert script.exit_code == 0
    assert all(name in script.stdout for name in ("retarget", "cutoff-hz", "sample:walk-sad"))
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script.stdout, text=True, check=True)


@pytest.mark.skipif(shutil.which("zsh") is None, reason="needs zsh")
def test_the_script_of_zsh_may_be_sourced(kinetune: Kinetune, tmp_path: Path) -> None:
    (tmp_path / "_kinetune").write_text(kinetune("completion", "zsh").stdout)
    ask = f"autoload -Uz compinit; compinit -u -d {tmp_path}/dump; . {tmp_path}/_kinetune; print $_comps[kinetune]"
    done = subprocess.run(["zsh", "-f", "-c", ask], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("_kinetune\n", "")


def test_an_unknown_shell_is_wrong_usage(kinetune: Kinetune) -> None:
    assert kinetune("completion", "tcsh").exit_code == 2
