"""The joints of well-known rigs, and the roles that they should have.

Offsets are all zero: these rigs are told by their names alone.
"""

from dataclasses import dataclass

import numpy as np

from kinetune.body.skeleton import Skeleton

MIDDLE = ("hips", "spine", "chest", "neck", "head")


@dataclass(frozen=True)
class Rig:
    """A rig as text.

    sides : how it marks the sides, the one that it lists first first.
    text : lines of joints "a > b > c", each hanging on the one before; the first of a line hangs on the joint before
        the colon. "@" stands for the side: such a line counts once for each. A joint's role follows it in brackets.
    """

    name: str
    sides: tuple[str, str]
    text: str

    def skeleton(self) -> Skeleton:
        return self._read()[0]

    def roles(self) -> dict[str, str]:
        return self._read()[1]

    def _read(self) -> tuple[Skeleton, dict[str, str]]:
        names: list[str] = []
        parents: list[int] = []
        roles: dict[str, str] = {}
        for line in self.text.strip().splitlines():
            for mark in self.sides if "@" in line else ("",):
                parent, chain = line.replace("@", mark).rsplit(": ", 1) if ": " in line else ("", line)
                at = names.index(parent.strip()) if parent else -1
                side = "left " if mark.lower().startswith(("l", "左")) else "right "
                for word in chain.split(" > "):
                    name, _, meaning = word.strip().rstrip("]").partition(" [")
                    names.append(name)
                    parents.append(at)
                    at = len(names) - 1
                    for role in meaning.split(", ") if meaning else ():
                        roles[role if role in MIDDLE else side + role] = name
        return Skeleton(tuple(names), parents, np.zeros((len(names), 3))), roles


def tree(text: str) -> Skeleton:
    """A skeleton from lines of joints, as in a :class:`Rig`."""
    return Rig("", ("Left", "Right"), text).skeleton()


RIGS = [
    Rig(
        "MikuMikuDance",
        ("左", "右"),
        """
全ての親 > センター > グルーブ > 腰 > 下半身 [hips]
腰: 上半身 [spine] > 上半身2 [chest] > 首 [neck] > 頭 [head] > 両目
下半身: @足 [upper leg] > @ひざ [lower leg] > @足首 [foot] > @つま先 [toes]
下半身: @足D > @ひざD > @足首D > @足先EX
全ての親: @足IK親 > @足ＩＫ > @つま先ＩＫ
上半身2: @肩P > @肩 [collar] > @腕 [upper arm] > @腕捩 > @ひじ [lower arm] > @手捩 > @手首 [hand] > @親指０ > @親指１
@手首: @中指１ > @中指２
""",
    ),
    Rig(
        "Unreal mannequin",
        ("l", "r"),
        """
root > pelvis [hips] > spine_01 [spine] > spine_02 > spine_03 [chest] > neck_01 [neck] > head [head]
root: ik_foot_root > ik_foot_l
ik_foot_root: ik_foot_r
root: ik_hand_root > ik_hand_gun > ik_hand_l
ik_hand_gun: ik_hand_r
pelvis: thigh_@ [upper leg] > thigh_twist_01_@
thigh_@: calf_@ [lower leg] > calf_twist_01_@
calf_@: foot_@ [foot] > ball_@ [toes]
spine_03: clavicle_@ [collar] > upperarm_@ [upper arm] > upperarm_twist_01_@
upperarm_@: lowerarm_@ [lower arm] > lowerarm_twist_01_@
lowerarm_@: hand_@ [hand] > index_01_@
hand_@: thumb_01_@
""",
    ),
    Rig(
        "Bandai Namco",
        ("L", "R"),
        """
joint_Root > Hips [hips] > Spine [spine] > Chest [chest] > Neck [neck] > Head [head]
Hips: UpperLeg_@ [upper leg] > LowerLeg_@ [lower leg] > Foot_@ [foot] > Toes_@ [toes]
Chest: Shoulder_@ [collar] > UpperArm_@ [upper arm] > LowerArm_@ [lower arm] > Hand_@ [hand]
""",
    ),
    Rig(
        "SMPL",
        ("left", "right"),
        """
pelvis [hips]
pelvis: @_hip [upper leg] > @_knee [lower leg] > @_ankle [foot] > @_foot [toes]
pelvis: spine1 [spine] > spine2 > spine3 [chest] > neck [neck] > head [head]
spine3: @_collar [collar] > @_shoulder [upper arm] > @_elbow [lower arm] > @_wrist [hand] > @_hand
""",
    ),
    Rig(
        "SMPL in FBX",
        ("L", "R"),
        """
m_avg_Pelvis [hips]
m_avg_Pelvis: m_avg_@_Hip [upper leg] > m_avg_@_Knee [lower leg] > m_avg_@_Ankle [foot] > m_avg_@_Foot [toes]
m_avg_Pelvis: m_avg_Spine1 [spine] > m_avg_Spine2 > m_avg_Spine3 [chest] > m_avg_Neck [neck] > m_avg_Head [head]
m_avg_Spine3: m_avg_@_Collar [collar] > m_avg_@_Shoulder [upper arm] > m_avg_@_Elbow [lower arm]
m_avg_@_Elbow: m_avg_@_Wrist [hand] > m_avg_@_Hand
""",
    ),
    Rig(
        "Rigify",
        ("L", "R"),
        """
spine [hips] > spine.001 [spine] > spine.002 > spine.003 [chest] > spine.004 [neck] > spine.005 > spine.006 [head]
spine.006: face
spine: pelvis.@
spine: thigh.@ [upper leg] > shin.@ [lower leg] > foot.@ [foot] > toe.@ [toes]
foot.@: heel.02.@
spine.003: shoulder.@ [collar] > upper_arm.@ [upper arm] > forearm.@ [lower arm] > hand.@ [hand] > palm.01.@
palm.01.@: f_index.01.@
hand.@: thumb.01.@
spine.003: breast.@
""",
    ),
    Rig(
        "3ds Max Biped",
        ("L", "R"),
        """
Bip01 > Bip01 Pelvis [hips] > Bip01 Spine [spine] > Bip01 Spine1 [chest] > Bip01 Neck [neck] > Bip01 Head [head]
Bip01 Head: Bip01 HeadNub
Bip01 Spine: Bip01 @ Thigh [upper leg] > Bip01 @ Calf [lower leg] > Bip01 @ Foot [foot] > Bip01 @ Toe0 [toes]
Bip01 @ Toe0: Bip01 @ Toe0Nub
Bip01 Neck: Bip01 @ Clavicle [collar] > Bip01 @ UpperArm [upper arm] > Bip01 @ Forearm [lower arm]
Bip01 @ Forearm: Bip01 @ Hand [hand] > Bip01 @ Finger0
""",
    ),
    Rig(
        "Axis Neuron",
        ("Right", "Left"),
        """
Hips [hips]
Hips: @UpLeg [upper leg] > @Leg [lower leg] > @Foot [foot]
Hips: Spine [spine] > Spine1 > Spine2 > Spine3 [chest] > Neck [neck] > Head [head]
Spine3: @Shoulder [collar] > @Arm [upper arm] > @ForeArm [lower arm] > @Hand [hand] > @HandThumb1
@Hand: @InHandIndex > @HandIndex1
""",
    ),
    Rig(
        "OptiTrack",
        ("L", "R"),
        """
Fred:Hip [hips] > Fred:Ab [spine] > Fred:Chest [chest] > Fred:Neck [neck] > Fred:Head [head]
Fred:Hip: Fred:@Thigh [upper leg] > Fred:@Shin [lower leg] > Fred:@Foot [foot] > Fred:@Toe [toes]
Fred:Chest: Fred:@Shoulder [collar] > Fred:@UArm [upper arm] > Fred:@FArm [lower arm] > Fred:@Hand [hand]
""",
    ),
    Rig(
        "Xsens",
        ("Right", "Left"),
        """
Pelvis [hips] > L5 [spine] > L3 > T12 > T8 [chest] > Neck [neck] > Head [head]
Pelvis: @UpperLeg [upper leg] > @LowerLeg [lower leg] > @Foot [foot] > @Toe [toes]
T8: @Shoulder [collar] > @UpperArm [upper arm] > @ForeArm [lower arm] > @Hand [hand]
""",
    ),
    Rig(
        "VRM",
        ("L", "R"),
        """
Root > J_Bip_C_Hips [hips] > J_Bip_C_Spine [spine] > J_Bip_C_Chest > J_Bip_C_UpperChest [chest] > J_Sec_L_Bust1
J_Bip_C_Hips: J_Bip_@_UpperLeg [upper leg] > J_Bip_@_LowerLeg [lower leg] > J_Bip_@_Foot [foot]
J_Bip_@_Foot: J_Bip_@_ToeBase [toes]
J_Bip_C_UpperChest: J_Bip_C_Neck [neck] > J_Bip_C_Head [head] > J_Adj_L_FaceEye
J_Bip_C_UpperChest: J_Bip_@_Shoulder [collar] > J_Bip_@_UpperArm [upper arm] > J_Bip_@_LowerArm [lower arm]
J_Bip_@_LowerArm: J_Bip_@_Hand [hand] > J_Bip_@_Index1
""",
    ),
    Rig(
        "Rokoko",
        ("Right", "Left"),
        """
Hips [hips] > Spine1 [spine] > Spine2 > Spine3 > Spine4 [chest] > Neck [neck] > Head [head]
Hips: @Thigh [upper leg] > @Shin [lower leg] > @Foot [foot] > @Toe [toes]
Spine4: @Shoulder [collar] > @Arm [upper arm] > @ForeArm [lower arm] > @Hand [hand]
""",
    ),
    Rig(
        "MakeHuman default",
        ("L", "R"),
        """
root [hips] > spine05 [spine] > spine04 > spine03 > spine02 > spine01 [chest] > neck01 [neck] > neck02 > neck03
neck03: head [head]
root: pelvis.@ > upperleg01.@ [upper leg] > upperleg02.@ > lowerleg01.@ [lower leg] > lowerleg02.@ > foot.@ [foot]
foot.@: toe1-1.@ [toes]
spine01: clavicle.@ [collar] > shoulder01.@ > upperarm01.@ [upper arm] > upperarm02.@ > lowerarm01.@ [lower arm]
lowerarm01.@: lowerarm02.@ > wrist.@ [hand] > metacarpal1.@
""",
    ),
    Rig(
        "DAZ Genesis",
        ("l", "r"),
        """
hip [hips] > pelvis
hip: abdomenLower [spine] > abdomenUpper > chestLower > chestUpper [chest] > neckLower [neck] > neckUpper
neckUpper: head [head]
chestUpper: @Collar [collar] > @ShldrBend [upper arm] > @ShldrTwist > @ForearmBend [lower arm] > @ForearmTwist
@ForearmTwist: @Hand [hand] > @Thumb1
pelvis: @ThighBend [upper leg] > @ThighTwist > @Shin [lower leg] > @Foot [foot] > @Metatarsals [toes] > @Toe
""",
    ),
    Rig(
        "Character Creator",
        ("L", "R"),
        """
CC_Base_BoneRoot > CC_Base_Hip [hips] > CC_Base_Pelvis
CC_Base_Hip: CC_Base_Waist > CC_Base_Spine01 [spine] > CC_Base_Spine02 [chest] > CC_Base_NeckTwist01 [neck]
CC_Base_NeckTwist01: CC_Base_NeckTwist02 > CC_Base_Head [head]
CC_Base_Spine02: CC_Base_@_Clavicle [collar] > CC_Base_@_Upperarm [upper arm] > CC_Base_@_Forearm [lower arm]
CC_Base_@_Forearm: CC_Base_@_Hand [hand] > CC_Base_@_Mid1
CC_Base_Pelvis: CC_Base_@_Thigh [upper leg] > CC_Base_@_ThighTwist01
CC_Base_@_Thigh: CC_Base_@_Calf [lower leg] > CC_Base_@_Foot [foot] > CC_Base_@_ToeBase [toes]
""",
    ),
    Rig(
        "Kinect",
        ("Left", "Right"),
        """
SpineBase [hips] > SpineMid [spine] > SpineShoulder [chest] > Neck [neck] > Head [head]
SpineBase: Hip@ [upper leg] > Knee@ [lower leg] > Ankle@ [foot] > Foot@ [toes]
SpineShoulder: Shoulder@ [upper arm] > Elbow@ [lower arm] > Wrist@ [hand] > Hand@
""",
    ),
    Rig(
        "Unity",
        ("Left", "Right"),
        """
Armature > Hips [hips] > Spine [spine] > Chest > UpperChest [chest] > Neck [neck] > Head [head]
Hips: @UpperLeg [upper leg] > @LowerLeg [lower leg] > @Foot [foot] > @Toes [toes]
UpperChest: @Shoulder [collar] > @UpperArm [upper arm] > @LowerArm [lower arm] > @Hand [hand]
""",
    ),
    Rig(
        "Valve",
        ("L", "R"),
        """
ValveBiped.Bip01_Pelvis [hips] > ValveBiped.Bip01_Spine [spine] > ValveBiped.Bip01_Spine1 > ValveBiped.Bip01_Spine2
ValveBiped.Bip01_Spine2: ValveBiped.Bip01_Spine4 [chest] > ValveBiped.Bip01_Neck1 [neck]
ValveBiped.Bip01_Neck1: ValveBiped.Bip01_Head1 [head]
ValveBiped.Bip01_Pelvis: ValveBiped.Bip01_@_Thigh [upper leg] > ValveBiped.Bip01_@_Calf [lower leg]
ValveBiped.Bip01_@_Calf: ValveBiped.Bip01_@_Foot [foot] > ValveBiped.Bip01_@_Toe0 [toes]
ValveBiped.Bip01_Spine4: ValveBiped.Bip01_@_Clavicle [collar] > ValveBiped.Bip01_@_UpperArm [upper arm]
ValveBiped.Bip01_@_UpperArm: ValveBiped.Bip01_@_Forearm [lower arm] > ValveBiped.Bip01_@_Hand [hand]
""",
    ),
    Rig(
        "DeepMimic",
        ("right", "left"),
        """
root [hips] > chest [spine, chest] > neck [neck]
root: @_hip [upper leg] > @_knee [lower leg] > @_ankle [foot]
chest: @_shoulder [upper arm] > @_elbow [lower arm] > @_wrist [hand]
""",
    ),
    Rig(
        "SMPL in MuJoCo",
        ("L", "R"),
        """
Pelvis [hips]
Pelvis: @_Hip [upper leg] > @_Knee [lower leg] > @_Ankle [foot] > @_Toe [toes]
Pelvis: Torso > Spine [spine] > Chest [chest] > Neck [neck] > Head [head]
Chest: @_Thorax [collar] > @_Shoulder [upper arm] > @_Elbow [lower arm] > @_Wrist [hand] > @_Hand
""",
    ),
    Rig(
        "SMPL in AIST",
        ("l", "r"),
        """
root [hips]
root: @hip [upper leg] > @knee [lower leg] > @ankle [foot] > @toes [toes]
root: belly > spine [spine] > chest [chest] > neck [neck] > head [head]
chest: @inshoulder [collar] > @shoulder [upper arm] > @elbow [lower arm] > @wrist [hand] > @hand
""",
    ),
    Rig(
        "Cascadeur",
        ("l", "r"),
        """
pelvis [hips] > stomach [spine] > chest [chest] > neck [neck] > head [head]
pelvis: thigh_@ [upper leg] > calf_@ [lower leg] > foot_@ [foot] > toe_@ [toes]
chest: clavicle_@ [collar] > arm_@ [upper arm] > forearm_@ [lower arm] > hand_@ [hand]
""",
    ),
    Rig(
        "Azure Kinect",
        ("LEFT", "RIGHT"),
        """
PELVIS [hips] > SPINE_NAVAL [spine] > SPINE_CHEST [chest] > NECK [neck] > HEAD [head] > NOSE
SPINE_CHEST: CLAVICLE_@ [collar] > SHOULDER_@ [upper arm] > ELBOW_@ [lower arm] > WRIST_@ [hand] > HAND_@
PELVIS: HIP_@ [upper leg] > KNEE_@ [lower leg] > ANKLE_@ [foot] > FOOT_@ [toes]
""",
    ),
    Rig(
        "OpenSim",
        ("l", "r"),
        """
ground > pelvis [hips] > torso [spine, chest] > head [head]
pelvis: femur_@ [upper leg] > tibia_@ [lower leg] > talus_@ [foot] > calcn_@ > toes_@ [toes]
torso: humerus_@ [upper arm] > ulna_@ [lower arm] > radius_@ > hand_@ [hand]
""",
    ),
    Rig(
        "Auto-Rig Pro",
        ("l", "r"),
        """
c_pos > root.x [hips] > spine_01.x [spine] > spine_02.x [chest] > neck.x [neck] > head.x [head]
root.x: thigh_twist.@ > thigh_stretch.@ [upper leg] > leg_stretch.@ [lower leg] > leg_twist.@ > foot.@ [foot]
foot.@: toes_01.@ [toes]
spine_02.x: shoulder.@ [collar] > arm_twist.@ > arm_stretch.@ [upper arm] > forearm_stretch.@ [lower arm]
forearm_stretch.@: forearm_twist.@ > hand.@ [hand] > c_index1.@
""",
    ),
    Rig(
        "endings without a mark",
        ("l", "r"),
        """
rootjnt > pelvisjnt [hips] > spine1jnt [spine] > spine2jnt [chest] > neckjnt [neck] > headjnt [head]
pelvisjnt: @_uplegjnt [upper leg] > @_legjnt [lower leg] > @_footjnt [foot]
spine2jnt: @_uparmjnt [upper arm] > @_loarmjnt [lower arm] > @_handjnt [hand]
""",
    ),
    Rig(
        "Unreal mannequin with correctives",
        ("l", "r"),
        """
root > pelvis [hips] > spine_01 [spine] > spine_02 > spine_03 [chest] > neck_01 [neck] > neck_02 > head [head]
spine_03: clavicle_@ [collar] > clavicle_out_@
clavicle_@: upperarm_@ [upper arm] > upperarm_twist_02_@ > upperarm_bicep_@
upperarm_@: upperarm_correctiveRoot_@ > upperarm_bck_@
upperarm_@: lowerarm_@ [lower arm] > wrist_inner_@
lowerarm_@: hand_@ [hand] > index_metacarpal_@ > index_01_@
pelvis: thigh_@ [upper leg] > thigh_correctiveRoot_@ > thigh_fwd_lwr_@
thigh_@: calf_@ [lower leg] > calf_correctiveRoot_@ > calf_kneeBack_@
calf_correctiveRoot_@: calf_knee_@
calf_@: foot_@ [foot] > ankle_bck_@
foot_@: ball_@ [toes] > bigtoe_01_@
""",
    ),
    Rig(
        "Advanced Skeleton",
        ("L", "R"),
        """
Root_M [hips] > Spine1_M [spine] > Chest_M [chest] > Neck_M [neck] > NeckPart1_M > Head_M [head] > HeadEnd_M
Root_M: Hip_@ [upper leg] > HipPart1_@
Hip_@: Knee_@ [lower leg] > Ankle_@ [foot] > Toes_@ [toes] > ToesEnd_@
Chest_M: Scapula_@ [collar] > Shoulder_@ [upper arm] > ShoulderPart1_@
Shoulder_@: Elbow_@ [lower arm] > Wrist_@ [hand] > IndexFinger1_@
""",
    ),
]
