"""Joint angles of the sample figure in the words of anatomy, in degrees, and how far people can turn their joints.

Written apart from the code that makes the samples: angles are read back from the finished clips.
"""

import numpy as np

from kinetune import rotations as rot

SIDES = {"Left": 1.0, "Right": -1.0}

# Adult, active ranges (American Academy of Orthopaedic Surgeons and similar tables). The ankle bends up to 20 without
# load; under load, as here, 30 and more is normal.
LIMITS = {
    "hip flexion": (-30, 120),
    "hip abduction": (-30, 45),
    "hip internal rotation": (-45, 40),
    "knee flexion": (0, 140),
    "ankle dorsiflexion": (-50, 29),
    "ankle inversion": (-20, 35),
    "toe extension": (-30, 70),
    "spine flexion": (-45, 90),
    "spine lateral": (-45, 45),
    "spine twist": (-40, 40),
    "neck flexion": (-60, 50),
    "neck lateral": (-45, 45),
    "neck twist": (-80, 80),
    "collar elevation": (-10, 40),
    "collar protraction": (-25, 30),
    "shoulder backwards": (-180, 60),
    "shoulder inwards": (-180, 50),
    "shoulder internal rotation": (-95, 95),
    "elbow flexion": (3, 148),
    "forearm pronation": (-80, 82),
    "wrist flexion": (-70, 78),
    "wrist radial deviation": (-35, 25),
}


def angles(clip):
    """Angle curves (frames,) by name; those of paired joints begin with "Left " or "Right "."""
    at, q = clip.skeleton.index, clip.rotations
    world = clip.world_rotations()
    found = {}

    def between(parent, child):
        return rot.multiply(rot.inverse(world[:, at(parent)]), world[:, at(child)])

    for name, parent, child in (("spine", "Hips", "Spine2"), ("neck", "Spine2", "Head")):
        twist, flexion, lateral = np.degrees(rot.to_euler(between(parent, child), "YXZ")).T
        found |= {f"{name} twist": twist, f"{name} flexion": flexion, f"{name} lateral": lateral}
    for side, sign in SIDES.items():
        x, y, z = rot.rotate(q[:, at(side + "UpLeg")], np.array([0.0, -1.0, 0.0])).T
        _, twist = rot.swing_twist(q[:, at(side + "UpLeg")], (0.0, 1.0, 0.0))
        knee = np.degrees(rot.to_euler(q[:, at(side + "Leg")], "XYZ"))
        ankle = np.degrees(rot.to_euler(q[:, at(side + "Foot")], "XZY"))
        toes = np.degrees(rot.to_euler(q[:, at(side + "ToeBase")], "XZY"))
        collar = np.degrees(rot.to_euler(q[:, at(side + "Shoulder")], "YZ"))
        hang = rot.from_axis_angle((0.0, 0.0, 1.0), 0.5 * np.pi * sign)
        arm = rot.multiply(between("Spine2", side + "Arm"), hang)
        ax, _, az = rot.rotate(arm, np.array([0.0, -1.0, 0.0])).T
        _, arm_twist = rot.swing_twist(arm, (0.0, 1.0, 0.0))
        lower = rot.rotate(q[:, at(side + "ForeArm")], np.array([sign, 0.0, 0.0]))
        _, twist_low = rot.swing_twist(q[:, at(side + "ForeArm")], (1.0, 0.0, 0.0))
        swing, twist_hand = rot.swing_twist(q[:, at(side + "Hand")], (1.0, 0.0, 0.0))
        # The hand is bent after half of the twist, which the wrist shares with the forearm.
        deviation, flexion = np.degrees(rot.to_euler(_untwisted(swing, twist_hand), "YZ")).T * -sign
        found |= {
            f"{side} hip flexion": np.degrees(np.arctan2(z, np.hypot(x, y) * np.sign(-y + 1e-12))),
            f"{side} hip abduction": np.degrees(np.arcsin(np.clip(sign * x, -1, 1))),
            f"{side} hip internal rotation": -sign * _about(twist, 2),
            f"{side} knee flexion": knee[:, 0],
            f"{side} knee sideways": np.abs(knee[:, 1:]).max(axis=1),
            f"{side} ankle dorsiflexion": -ankle[:, 0],
            f"{side} ankle inversion": np.abs(ankle[:, 1]),
            f"{side} toe extension": -toes[:, 0],
            f"{side} collar protraction": -sign * collar[:, 0],
            f"{side} collar elevation": sign * collar[:, 1],
            f"{side} shoulder backwards": np.degrees(np.arcsin(np.clip(-az, -1, 1))),
            f"{side} shoulder inwards": np.degrees(np.arcsin(np.clip(-sign * ax, -1, 1))),
            f"{side} shoulder internal rotation": -sign * _about(arm_twist, 2),
            f"{side} elbow flexion": np.degrees(np.arccos(np.clip(sign * lower[:, 0], -1, 1))),
            f"{side} forearm pronation": _about(twist_low, 1) + _about(twist_hand, 1),
            f"{side} wrist flexion": flexion,
            f"{side} wrist radial deviation": deviation,
        }
    return found


def _untwisted(swing, twist):
    """The bend of a hand in axes that have taken the twist already: q = swing twist = twist bend."""
    return rot.multiply(rot.inverse(twist), rot.multiply(swing, twist))


def _about(twist, component):
    angle = 2 * np.degrees(np.arctan2(twist[:, component], twist[:, 0]))
    return (angle + 180) % 360 - 180


def limit_of(name):
    """The limits of a curve of :func:`angles`, or None for those that are checks of their own."""
    return LIMITS.get(name.removeprefix("Left ").removeprefix("Right "))
