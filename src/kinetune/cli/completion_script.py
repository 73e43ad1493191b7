"""Completion scripts for shells: commands, flags, choices and samples, all in the script: Tab starts no Python."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args, get_origin

import typer

SCRIPT_FILES = {
    "bash": "~/.local/share/bash-completion/completions/kinetune",
    "zsh": "_kinetune in a folder of your $fpath",
    "fish": "~/.config/fish/completions/kinetune.fish",
}
"""Shells that there is a script for, and where each looks for it."""


class _Completed(NamedTuple):
    """A command: what it does, its flags with their help, what they choose from, and the words that may follow it."""

    text: str
    flags: Mapping[str, str]
    choices: Mapping[str, Sequence[str]]
    below: Mapping[str, str]


def completion_script(shell: str) -> str:
    """The script for a shell of :data:`SCRIPT_FILES`."""
    from kinetune.samples import list_samples

    lines = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](
        _commands(), [f"sample:{name}" for name in list_samples()]
    )
    first, *rest = lines
    return "\n".join([first, f"# Completes kinetune in {shell}. Save it as {SCRIPT_FILES[shell]}", *rest])


def _commands() -> dict[str, _Completed]:
    from typer.main import get_command

    from kinetune.cli.app import OperationCommand, app

    group: Any = get_command(app)
    context = typer.Context(group, info_name="kinetune")
    commands = {}
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        loaded = command.loaded() if isinstance(command, OperationCommand) else command
        parts = getattr(loaded, "commands", {})
        flags, choices = dict(_flags(loaded)), dict(_choices(loaded))
        for one in parts.values():
            flags |= dict(_flags(one))
            choices |= dict(_choices(one))
        below = {part: _first(one) for part, one in parts.items()}
        commands[name] = _Completed(_first(command), flags, choices, below)
    commands["completion"] = commands["completion"]._replace(below=dict.fromkeys(SCRIPT_FILES, ""))
    return commands


def _flags(command: Any) -> Iterator[tuple[str, str]]:
    for parameter in command.params:
        if parameter.param_type_name == "option" and not getattr(parameter, "hidden", False):
            for flag in (*parameter.opts, *parameter.secondary_opts):
                if flag.startswith("--"):
                    yield flag, _sentence(parameter.help or "")
    yield "--help", "Show the help."


def _choices(command: Any) -> Iterator[tuple[str, Sequence[str]]]:
    """The flags that choose, as the function behind a command declares them."""
    if command.callback is None:  # a group
        return
    declared = inspect.signature(command.callback, eval_str=True).parameters
    for parameter in command.params:
        known = _literals(declared[parameter.name].annotation) if parameter.name in declared else []
        if parameter.param_type_name == "option" and known:
            yield from ((flag, known) for flag in parameter.opts if flag.startswith("--"))


def _literals(annotation: Any) -> list[str]:
    if get_origin(annotation) is Literal:
        return [str(choice) for choice in get_args(annotation)]
    return [choice for part in get_args(annotation) for choice in _literals(part)]


def _first(command: Any) -> str:
    return _sentence(command.get_short_help_str(200))


def _sentence(text: str) -> str:
    """The first sentence, on one line, without the markup of the help."""
    return re.split(r"(?<=[.;:]) |\n", text.replace("\\[", "["))[0].strip().rstrip(".;:")


def _bash(commands: Mapping[str, _Completed], samples: Sequence[str]) -> Iterator[str]:
    names = " ".join(name.removeprefix("sample:") for name in samples)
    yield from (
        "_kinetune() {",
        '  local cur="${COMP_WORDS[COMP_CWORD]}" flags="" below=""',
        "  COMPREPLY=()",
        '  if [ "$COMP_CWORD" -eq 1 ]; then',
        f'    COMPREPLY=($(compgen -W "{" ".join(commands)}" -- "$cur"))',
        "    return",
        "  fi",
        '  case "${COMP_WORDS[1]}" in',
    )
    for name, command in commands.items():
        below = f'; below="{" ".join(command.below)}"' if command.below else ""
        yield f'    {name}) flags="{" ".join(command.flags)}"{below} ;;'
    yield from ("  esac", '  case "${COMP_WORDS[1]} ${COMP_WORDS[COMP_CWORD-1]}" in')
    for name, command in commands.items():
        for flag, known in command.choices.items():
            yield f'    "{name} {flag}") COMPREPLY=($(compgen -W "{" ".join(known)}" -- "$cur")); return ;;'
    yield from (
        "  esac",
        '  if [[ "$cur" == -* ]]; then',
        '    COMPREPLY=($(compgen -W "$flags" -- "$cur"))',
        '  elif [ "$COMP_CWORD" -eq 2 ] && [ -n "$below" ]; then',
        '    COMPREPLY=($(compgen -W "$below" -- "$cur"))',
        # The colon of sample:NAME separates words in bash.
        '  elif [[ "${COMP_WORDS[COMP_CWORD-1]}" == sample && "$cur" == : ]]; then',
        f'    COMPREPLY=($(compgen -W "{names}"))',
        '  elif [[ "${COMP_WORDS[COMP_CWORD-1]}" == : && "${COMP_WORDS[COMP_CWORD-2]}" == sample ]]; then',
        f'    COMPREPLY=($(compgen -W "{names}" -- "$cur"))',
        '  elif [[ "$cur" == sample:* ]]; then',
        f'    COMPREPLY=($(compgen -W "{" ".join(samples)}" -- "$cur"))',
        "  else",
        "    compopt -o filenames 2>/dev/null",
        '    COMPREPLY=($(compgen -f -- "$cur"))',
        "  fi",
        "}",
        "complete -F _kinetune kinetune",
    )


def _zsh(commands: Mapping[str, _Completed], samples: Sequence[str]) -> Iterator[str]:
    yield from ("#compdef kinetune", "_kinetune() {", "  local -a choices", "  if (( CURRENT == 2 )); then")
    yield f"    choices=({_described({name: command.text for name, command in commands.items()})})"
    yield from ("    _describe command choices", "    return", "  fi", '  if [[ "$PREFIX" == -* ]]; then')
    yield '    case "$words[2]" in'
    for name, command in commands.items():
        yield f"      {name}) choices=({_described(command.flags)}) ;;"
    yield from ("    esac", "    _describe -o option choices", "    return", "  fi")
    yield '  case "$words[2] $words[CURRENT-1]" in'
    for name, command in commands.items():
        for flag, known in command.choices.items():
            yield f'    "{name} {flag}") compadd -- {" ".join(known)}; return ;;'
    yield from ("  esac", '  case "$CURRENT:$words[2]" in')
    for name, command in commands.items():
        if command.below:
            yield f"    3:{name}) choices=({_described(command.below)}); _describe command choices; return ;;"
    yield from (
        "  esac",
        f'  [[ "$PREFIX" == s* ]] && compadd -- {" ".join(samples)}',
        "  _files",
        "}",
        # Run by the first completion where it is a file of $fpath; sourced, it only announces itself.
        'if [ "$funcstack[1]" = _kinetune ]; then _kinetune "$@"; else compdef _kinetune kinetune; fi',
    )


def _described(texts: Mapping[str, str]) -> str:
    return " ".join(shlex.quote(f"{name}:{text}") for name, text in texts.items())


def _fish(commands: Mapping[str, _Completed], samples: Sequence[str]) -> Iterator[str]:
    yield f"complete -c kinetune -n 'not __fish_use_subcommand' -a {shlex.quote(' '.join(samples))}"
    for name, command in commands.items():
        yield f"complete -c kinetune -n __fish_use_subcommand -f -a {name} -d {_fish_quoted(command.text)}"
        seen = f"-n '__fish_seen_subcommand_from {name}'"
        for part, text in command.below.items():
            yield f"complete -c kinetune {seen} -a {part} -d {_fish_quoted(text)}"
        for flag, text in command.flags.items():
            known = f" -x -a {shlex.quote(' '.join(command.choices[flag]))}" if flag in command.choices else ""
            yield f"complete -c kinetune {seen} -l {flag[2:]}{known} -d {_fish_quoted(text)}"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
