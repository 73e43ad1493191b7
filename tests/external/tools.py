"""Where the tools are that are not part of the project, and how to get them."""

import os
import shutil
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]


def node_modules() -> Path:
    """The folder ``node_modules`` with the Khronos glTF validator in it, or skip."""
    asked = os.environ.get("KINETUNE_GLTF_VALIDATOR")
    folders = [Path(asked)] if asked else [CHECKOUT, HERE]
    for folder in folders:
        for modules in (folder, folder / "node_modules"):
            if (modules / "gltf-validator").is_dir() and shutil.which("node"):
                return modules
    pytest.skip(
        "no glTF validator here. Install it with: npm install gltf-validator (Node.js needed), and set "
        "KINETUNE_GLTF_VALIDATOR to that folder unless it is the checkout"
    )


def blender_python() -> str:
    """A Python that can import bpy, or skip."""
    asked = os.environ.get("KINETUNE_BPY")
    usual = [CHECKOUT / ".venv-bpy" / "bin" / "python", CHECKOUT / ".venv-bpy" / "Scripts" / "python.exe"]
    for python in [Path(asked)] if asked else usual:
        if python.is_file():
            return str(python)
    pytest.skip("no Blender here. Install it with: make blender-env, or set KINETUNE_BPY to a Python 3.13 that has bpy")


def three_vrm() -> Path:
    """The folder ``node_modules`` with three-vrm in it, or skip."""
    asked = os.environ.get("KINETUNE_THREE_VRM")
    for folder in [Path(asked)] if asked else [CHECKOUT, HERE]:
        for modules in (folder, folder / "node_modules"):
            if (modules / "@pixiv" / "three-vrm-animation").is_dir():
                return modules
    pytest.skip(
        "no three-vrm here. Install it with: npm install three @pixiv/three-vrm @pixiv/three-vrm-animation, and set "
        "KINETUNE_THREE_VRM to that folder unless it is the checkout"
    )
