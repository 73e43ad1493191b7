"""Messages for tensors that do not fit: other types, other devices, a GPU that is not there."""

from __future__ import annotations

from typing import Any

import torch
from kinetune.errors import ParameterError
from torch import Tensor


def usable_device(device: torch.device | str | None) -> torch.device | None:
    """A device that exists here; None stays None, the default one."""
    if device is None:
        return None
    try:
        chosen = torch.device(device)
    except (RuntimeError, TypeError):
        raise ParameterError(
            f'There is no device {device!r}. Give "cpu", "cuda" or, of several GPUs, "cuda:1".'
        ) from None
    if chosen.type == "cuda" and not torch.cuda.is_available():
        built = "is built without CUDA" if torch.version.cuda is None else "finds no GPU that it can use"
        raise ParameterError(
            f"CUDA cannot be used here: torch {torch.__version__} {built}. Leave out the device to use the CPU."
        )
    if chosen.type == "cuda" and chosen.index is not None and chosen.index >= torch.cuda.device_count():
        raise ParameterError(
            f"There is no device {chosen}: this machine has {torch.cuda.device_count()} GPUs, from 0 up."
        )
    return chosen


def check_tensors(**values: Any) -> None:
    """Refuse what is no tensor: a list of tensors as a rule, of clips of different lengths."""
    for name, value in values.items():
        if not isinstance(value, Tensor):
            raise ParameterError(
                f"{name} must be one tensor, not {type(value).__name__}. Pad signals of different lengths to the "
                "longest, stack them, and give their lengths; kt.torch.MotionBatch.from_clips does so for clips."
            )


def one_for_each(name: str, value: Tensor | float, count: int, what: str = "clip of the batch", **place: Any) -> Tensor:
    """A number for all, or one for each, as a tensor (count,); ``place`` is its dtype and device."""
    numbers = torch.as_tensor(value, **place)
    if numbers.shape not in ((), (1,), (count,)):
        raise ParameterError(
            f"{name} is one number, or ({count},) with one for each {what}; got shape {tuple(numbers.shape)}."
        )
    if not bool(torch.isfinite(numbers).all()):
        raise ParameterError(f"{name} holds a value that is not a finite number.")
    return numbers.expand(count)


def check_one_device(**values: Tensor) -> None:
    """Refuse tensors that lie on different devices."""
    if len({value.device for value in values.values()}) > 1:
        lying = ", ".join(f"{name} on {value.device}" for name, value in values.items())
        raise ParameterError(f"The tensors lie on different devices: {lying}. Bring them to one with .to(device).")
