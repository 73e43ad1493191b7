"""The part of the extension that needs no Blender: arithmetic of bones, motions, and the way to Kinetune.

===============  ====================================================================================
rotation_modes   quaternions, Euler angles in any order, axis and angle
bone_space       from the channels of bones to where bones are, and back
motions          from poses to motions in metres with Y up, and back
engine           Kinetune in this process or behind a pipe
messages         what goes through the pipe
worker           the process at its other end
===============  ====================================================================================
"""
