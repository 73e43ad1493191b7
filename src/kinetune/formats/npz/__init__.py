"""NumPy archives: our own, and AMASS with the SMPL family.

==============  ===================================================================================================
native_npz      Kinetune's own ``.npz``: everything a clip holds, exact to the bit, in one compressed NumPy archive
amass           AMASS and other SMPL motion (``.npz``): rotations of the joints of a body model
_smpl_skeleton  The joints of the SMPL family of body models, and a generic character to put their motion on
npz_arrays      NumPy archives from strangers: no pickle, no surprise in size
==============  ===================================================================================================
"""
