"""Kinetune for Blender: what the extension in ``blender/`` asks for, and how it is packed and installed.

===================  =================================================================================
clip_service         answers the extension's requests: motions, edits, previews, check-ups
_operator_catalogue  every operation with its parameters, for menus that are made without Kinetune
extension_files      the extension as a folder or a zip, with the wheels that it needs
===================  =================================================================================
"""

from kinetune.blender.clip_service import ClipService
from kinetune.progress import Cancelled as Stopped

__all__ = ["ClipService", "Stopped"]
