"""The links of well-known robots, and the roles that they should have."""

import numpy as np
import pytest

from kinetune.body.skeleton import Skeleton

# Where parts begin on the left, in metres: ahead, left, up.
_AT = {
    "hip": (0.0, 0.1, 0.0),
    "knee": (0.0, 0.12, -0.4),
    "ankle": (0.0, 0.12, -0.8),
    "collar": (0.0, 0.05, 0.4),
    "shoulder": (0.0, 0.2, 0.4),
    "elbow": (0.0, 0.22, 0.15),
    "wrist": (0.05, 0.22, -0.1),
}
_ROLES = {"hip": "upper leg", "knee": "lower leg", "ankle": "foot", "shoulder": "upper arm", "elbow": "lower arm"}
_ROLES["wrist"] = "hand"

# name: (how it marks its sides, base and trunk, links of each part in order; the last of a part has the role)
ROBOTS = {
    "H1": (
        "left right",
        "pelvis torso_link",
        {
            "hip": "@_hip_yaw_link @_hip_roll_link @_hip_pitch_link",
            "knee": "@_knee_link",
            "ankle": "@_ankle_link",
            "shoulder": "@_shoulder_pitch_link @_shoulder_roll_link @_shoulder_yaw_link",
            "elbow": "@_elbow_link",
        },
    ),
    "Talos": (
        "left right",
        "base_link torso_1_link torso_2_link",
        {
            "hip": "leg_@_1_link leg_@_2_link leg_@_3_link",
            "knee": "leg_@_4_link",
            "ankle": "leg_@_5_link leg_@_6_link",
            "collar": "arm_@_1_link",
            "shoulder": "arm_@_2_link arm_@_3_link",
            "elbow": "arm_@_4_link",
            "wrist": "arm_@_5_link arm_@_6_link arm_@_7_link",
        },
    ),
    "Atlas": (
        "l r",
        "pelvis ltorso mtorso utorso",
        {
            "hip": "@_uglut @_lglut @_uleg",
            "knee": "@_lleg",
            "ankle": "@_talus @_foot",
            "collar": "@_clav",
            "shoulder": "@_scap @_uarm",
            "elbow": "@_larm @_ufarm",
            "wrist": "@_lfarm @_hand",
        },
    ),
    "Valkyrie": (
        "left right",
        "pelvis torsoYawLink torsoPitchLink torso",
        {
            "hip": "@HipYawLink @HipRollLink @HipPitchLink",
            "knee": "@KneePitchLink",
            "ankle": "@AnklePitchLink @Foot",
            "shoulder": "@ShoulderPitchLink @ShoulderRollLink @ShoulderYawLink",
            "elbow": "@ElbowPitchLink @ForearmLink",
        },
    ),
    "iCub": (
        "l r",
        "root_link torso_1 torso_2 chest",
        {
            "hip": "@_hip_1 @_hip_2 @_upper_leg",
            "knee": "@_lower_leg",
            "ankle": "@_ankle_1 @_foot",
            "shoulder": "@_shoulder_1 @_shoulder_2 @_shoulder_3 @_upper_arm",
            "elbow": "@_elbow_1 @_forearm",
        },
    ),
    "GR1": (
        "left right",
        "base_link waist_yaw_link waist_roll_link torso_link",
        {
            "hip": "@_thigh_roll_link @_thigh_yaw_link @_thigh_pitch_link",
            "knee": "@_shank_pitch_link",
            "ankle": "@_foot_pitch_link @_foot_roll_link",
            "shoulder": "@_upper_arm_pitch_link @_upper_arm_roll_link @_upper_arm_yaw_link",
            "elbow": "@_lower_arm_pitch_link",
            "wrist": "@_hand_yaw_link @_hand_roll_link @_hand_pitch_link",
        },
    ),
    "NAO": (
        "L R",
        "torso",
        {
            "hip": "@Pelvis @Hip @Thigh",
            "knee": "@Tibia",
            "ankle": "@AnklePitch @_ankle",
            "shoulder": "@Shoulder @Bicep",
            "elbow": "@Elbow @ForeArm",
            "wrist": "@_wrist",
        },
    ),
    "HRP": (
        "L R",
        "BODY CHEST_LINK0 CHEST_LINK1",
        {
            "hip": "@LEG_LINK0 @LEG_LINK1 @LEG_LINK2",
            "knee": "@LEG_LINK3",
            "ankle": "@LEG_LINK4 @LEG_LINK5",
            "shoulder": "@ARM_LINK0 @ARM_LINK1 @ARM_LINK2",
            "elbow": "@ARM_LINK3",
            "wrist": "@ARM_LINK4 @ARM_LINK5 @ARM_LINK6",
        },
    ),
    "T1": (
        "Left Right",
        "Trunk",
        {"hip": "Hip_Pitch_@ Hip_Roll_@ Hip_Yaw_@", "knee": "Shank_@", "ankle": "Ankle_Cross_@ @_foot_link"},
    ),
    "T1 with arms": ("L R", "Trunk", {"shoulder": "A@1 A@2", "elbow": "A@3", "wrist": "@_hand_link"}),
    "K1": ("Left Right", "Trunk", {"shoulder": "@_Arm_1 @_Arm_2", "elbow": "@_Arm_3", "wrist": "@_hand_link"}),
    "Digit": (
        "left right",
        "torso",
        {
            "hip": "@-hip-roll @-hip-yaw @-hip-pitch",
            "knee": "@-knee",
            "ankle": "@-tarsus @-toe-pitch @-toe-roll",
            "shoulder": "@-shoulder-roll @-shoulder-pitch @-shoulder-yaw",
            "elbow": "@-elbow",
            "wrist": "@-hand",
        },
    ),
    "Kuavo": (
        "l r",
        "base_link",
        {
            "hip": "leg_@1_link leg_@2_link leg_@3_link",
            "knee": "leg_@4_link",
            "ankle": "leg_@5_link leg_@6_link",
            "shoulder": "zarm_@1_link zarm_@2_link zarm_@3_link",
            "elbow": "zarm_@4_link",
            "wrist": "zarm_@5_link zarm_@6_link zarm_@7_link",
        },
    ),
    "Berkeley Humanoid Lite": (
        "left right",
        "base",
        {
            "hip": "leg_@_hip_roll leg_@_hip_yaw leg_@_hip_pitch",
            "knee": "leg_@_knee_pitch",
            "ankle": "leg_@_ankle_pitch leg_@_ankle_roll",
            "shoulder": "arm_@_shoulder_pitch arm_@_shoulder_roll arm_@_shoulder_yaw",
            "elbow": "arm_@_elbow_pitch arm_@_elbow_roll",
        },
    ),
    "Adam": (
        "Left Right",
        "pelvis waistRoll waistPitch torso",
        {
            "hip": "hipPitch@ hipRoll@ thigh@",
            "knee": "shin@",
            "ankle": "anklePitch@ toe@",
            "shoulder": "shoulderPitch@ shoulderRoll@ shoulderYaw@",
            "elbow": "elbow@",
            "wrist": "wristYaw@ wristPitch@ wristRoll@",
        },
    ),
    "Apollo": (
        "l r",
        "base_link torso_pitch_link torso_roll_link torso_yaw_link",
        {
            "hip": "@_hip_ie_link @_hip_aa_link @_hip_fe_link",
            "knee": "@_knee_fe_link",
            "ankle": "@_ankle_ie_link @_ankle_pd_link",
            "shoulder": "@_shoulder_aa_link @_shoulder_ie_link @_shoulder_fe_link",
            "elbow": "@_elbow_fe_link",
            "wrist": "@_wrist_roll_link @_wrist_yaw_link @_wrist_pitch_link",
        },
    ),
    "anatomical words": (
        "left right",
        "base_link",
        {
            "hip": "@_hip_flexion_link @_hip_adduction_link @_hip_rotation_link",
            "knee": "@_knee_flexion_link",
            "ankle": "@_ankle_flexion_link @_ankle_abduction_link",
            "shoulder": "@_shoulder_flexion_link @_shoulder_abduction_link @_shoulder_rotation_link",
            "elbow": "@_elbow_flexion_link",
        },
    ),
}


def build(sides, trunk, parts):
    names, parents = trunk.split(), [-1, *range(len(trunk.split()) - 1)]
    places = [np.array((0.0, 0.0, 0.1 * k)) for k in range(len(names))]
    roles = {}
    for sign, (side, mark) in zip((1.0, -1.0), zip(("left", "right"), sides.split(), strict=True), strict=True):
        for limb, above in (
            (("hip", "knee", "ankle"), 0),
            (("collar", "shoulder", "elbow", "wrist"), trunk.count(" ")),
        ):
            for part in limb:
                for number, name in enumerate(parts.get(part, "").replace("@", mark).split()):
                    x, y, z = _AT[part]
                    places.append(np.array((x, sign * y, z - 0.01 * number)))
                    names.append(name)
                    parents.append(above)
                    above = len(names) - 1
                    if part in _ROLES:
                        roles[f"{side} {_ROLES[part]}"] = name
    offsets = np.array(places) - np.array(places)[np.maximum(parents, 0)]
    return Skeleton(tuple(names), parents, offsets[:, [1, 2, 0]]), roles


@pytest.mark.parametrize("name", ROBOTS)
def test_known_robots_have_their_limbs(name):
    skeleton, roles = build(*ROBOTS[name])
    found = {role: skeleton.names[joint] for role, joint in skeleton.roles.items()}
    assert {role: found.get(role) for role in roles} == roles
    assert "left upper leg" not in roles or found["hips"] == skeleton.names[0]
