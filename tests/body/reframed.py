"""The same motion on skeletons whose joints have other frames: what an edit of poses may not depend on."""

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import EndSite, Skeleton, as_offset


def other_frames(clip: Clip, seed=0) -> Clip:
    """The clip with the frame of every joint turned by chance; joints and bones stay where they are."""
    skeleton = clip.skeleton
    rng = np.random.default_rng(seed)
    frames = rot.exp(rng.normal(size=(len(skeleton), 3)))
    frames[0] = rot.identity()
    above = np.where((skeleton.parents < 0)[:, None], rot.identity(), frames[skeleton.parents])
    sites = tuple(
        EndSite(s.parent, as_offset(rot.rotate(rot.inverse(frames[s.parent]), np.array(s.offset))))
        for s in skeleton.end_sites
    )
    turned = Skeleton(
        skeleton.names,
        skeleton.parents,
        rot.rotate(rot.inverse(above), skeleton.offsets),
        sites,
        rot.multiply(rot.inverse(above), rot.multiply(skeleton.rest, frames)),
    )
    rotations = rot.multiply(rot.inverse(above), rot.multiply(clip.rotations, frames))
    return Clip(turned, clip.fps, clip.root, rot.normalize(rotations), contacts=clip.contacts)
