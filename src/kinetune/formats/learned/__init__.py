"""Generated motion and the motion that models learn from.

==============  =========================================================================================
kimodo          Kimodo's ``.npz``: positions, rotation matrices and foot contacts of SOMA, G1 and SMPL-X
humanml3d       HumanML3D and T2M: 22 joints or 263 features a frame, as arrays
contact_labels  labels of standing feet, as contacts
deepmimic       DeepMimic's ``.txt``: quaternions a frame, with the file of the character
==============  =========================================================================================
"""
