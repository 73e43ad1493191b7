"""USD skeletons (``.usda``, ``.usdc``, ``.usd``): a UsdSkel Skeleton with its SkelAnimation, through ``usd-core``.

=============  ====================================================================================
usd_reader     the first skeleton of a file of any program, with its place in the scene
usd_writer     a clip as a stage with skeleton, animation and a body as a skinned mesh
_text_lists    whether the lists of a text file fit their types, before USD takes memory for them
_crate_values  whether a binary file can hold what it declares, before USD takes memory for it
=============  ====================================================================================
"""

from kinetune.formats.format import Format
from kinetune.formats.usd.usd_reader import read
from kinetune.formats.usd.usd_writer import write

__all__ = ["FORMAT", "read", "write"]

FORMAT = Format(
    "usd", (".usda", ".usdc", ".usd"), "USD skeleton animation (needs kinetune[usd])", read=read, write=write
)
