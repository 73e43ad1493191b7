"""Which part of the body a marker sits on, from its label.

Known are the labels of Plug-in Gait and its relatives, of the ISB landmarks that OptiTrack's biomechanical sets use, of
OptiTrack's full-body sets (``LKneeOut``), clusters named by a code and a number (``RTH1``), and labels in plain words
(``ForearmL2``, ``left thigh 3``).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kinetune.body.roles.from_names import split_side, tokens

PARENTS: dict[str, str] = {
    "Hips": "",
    "Chest": "Hips",
    "Head": "Chest",
    **{
        f"{side}{part}": above if above in ("Hips", "Chest") else f"{side}{above}"
        for side in ("Left", "Right")
        for part, above in (
            ("UpperArm", "Chest"),
            ("LowerArm", "UpperArm"),
            ("Hand", "LowerArm"),
            ("UpperLeg", "Hips"),
            ("LowerLeg", "UpperLeg"),
            ("Foot", "LowerLeg"),
        )
    },
}
"""The segments of a body and what each hangs on, parents first."""

_MIDDLE = ("Hips", "Chest", "Head")

# code without a side -> (segment, landmark); a landmark is a point that shows where a joint is
_CODES: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("ASI", "ASIS", "IAS"), ("Hips", "asis")),
    **dict.fromkeys(("PSI", "PSIS", "IPS"), ("Hips", "psis")),
    **dict.fromkeys(("PV", "PEL", "PELV", "ILC", "ICT", "IC"), ("Hips", "")),
    **dict.fromkeys(("SHO", "ACR", "SAE", "CAJ"), ("Chest", "shoulder")),
    **dict.fromkeys(("TA", "TR", "TK", "TRK", "THX", "TO", "BAK", "SCAP", "SC"), ("Chest", "")),
    **dict.fromkeys(("FHD", "BHD", "HD", "HEAD", "EAR"), ("Head", "head")),
    **dict.fromkeys(("UPA", "UPB", "UPC", "AR", "UA", "ARM", "HUM"), ("UpperArm", "")),
    **dict.fromkeys(("ELB", "ELBL", "LEL", "HLE", "ELBOW"), ("UpperArm", "elbow out")),
    **dict.fromkeys(("ELBM", "MELB", "MEL", "HME"), ("UpperArm", "elbow in")),
    **dict.fromkeys(("FRM", "FRA", "FRB", "FA", "RAD"), ("LowerArm", "")),
    **dict.fromkeys(("WRA", "WRB", "WRI", "WRIST", "RSP", "USP", "WRT"), ("LowerArm", "wrist")),
    **dict.fromkeys(("FIN", "HND", "HA", "HM2", "HM5", "HM3", "HAND"), ("Hand", "")),
    **dict.fromkeys(("THI", "THA", "THB", "THAP", "THAD", "TH", "TROC", "FTC", "FAX", "GTR"), ("UpperLeg", "")),
    **dict.fromkeys(("KNE", "KNL", "LKNE", "FLE", "KNEE", "LFC"), ("UpperLeg", "knee out")),
    **dict.fromkeys(("KNM", "MKNE", "KNEM", "FME", "KNI", "MFC", "KNMED"), ("UpperLeg", "knee in")),
    **dict.fromkeys(
        ("TIB", "TIA", "TIAP", "TIAD", "SK", "SHA", "SHN", "SHK", "TTC", "TTU", "FIB", "SH"), ("LowerLeg", "")
    ),
    **dict.fromkeys(("ANK", "FAL", "LMAL", "LM", "ANKLE", "LLM"), ("LowerLeg", "ankle out")),
    **dict.fromkeys(("MED", "ANM", "MANK", "TAM", "MMAL", "MM", "ANKM"), ("LowerLeg", "ankle in")),
    **dict.fromkeys(("HEE", "HEEL", "FCC", "CAL"), ("Foot", "heel")),
    **dict.fromkeys(
        ("TOE", "MT2", "FM2", "MT1", "MT5", "FM1", "FM5", "5MT", "1MT", "DP1", "D1M", "D5M"), ("Foot", "toe")
    ),
    **dict.fromkeys(("FT", "FO", "FOO", "FOOT", "NAV", "FMT", "P1M", "P5M"), ("Foot", "")),
}
_CENTRE: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("C7", "CV7"), ("Chest", "c7")),
    **dict.fromkeys(("CLAV", "CLA", "SJN", "JN", "IJ"), ("Chest", "clav")),
    **dict.fromkeys(("STRN", "STER", "SXS", "PX", "XYPH"), ("Chest", "strn")),
    **dict.fromkeys(("T10", "T8", "T4", "T2", "TV10", "TV8", "TV7", "TV2", "RBAK", "LBAK", "MAI"), ("Chest", "")),
    **dict.fromkeys(("SACR", "SAC", "SACRUM", "VSACRAL"), ("Hips", "psis")),
    **dict.fromkeys(("HEAD", "ARIEL", "TOPHEAD", "HEADTOP", "HEADFRONT", "HEADSIDE", "HDT"), ("Head", "head")),
}
# words in a label -> (segment, landmark), the more particular ones first
_WORDS: tuple[tuple[str, tuple[str, str]], ...] = (
    ("kneeout", ("UpperLeg", "knee out")),
    ("kneein", ("UpperLeg", "knee in")),
    ("lateralknee", ("UpperLeg", "knee out")),
    ("medialknee", ("UpperLeg", "knee in")),
    ("ankleout", ("LowerLeg", "ankle out")),
    ("anklein", ("LowerLeg", "ankle in")),
    ("lateralankle", ("LowerLeg", "ankle out")),
    ("medialankle", ("LowerLeg", "ankle in")),
    ("malleolus", ("LowerLeg", "ankle out")),
    ("elbowout", ("UpperArm", "elbow out")),
    ("elbowin", ("UpperArm", "elbow in")),
    ("lateralepicondyle", ("UpperArm", "elbow out")),
    ("medialepicondyle", ("UpperArm", "elbow in")),
    ("forearm", ("LowerArm", "")),
    ("lowerarm", ("LowerArm", "")),
    ("upperarm", ("UpperArm", "")),
    ("uarm", ("UpperArm", "")),
    ("farm", ("LowerArm", "")),
    ("shoulder", ("Chest", "shoulder")),
    ("acromion", ("Chest", "shoulder")),
    ("scapula", ("Chest", "")),
    ("clavicle", ("Chest", "clav")),
    ("sternum", ("Chest", "strn")),
    ("elbow", ("UpperArm", "elbow out")),
    ("wrist", ("LowerArm", "wrist")),
    ("glove", ("Hand", "")),
    ("hand", ("Hand", "")),
    ("finger", ("Hand", "")),
    ("thigh", ("UpperLeg", "")),
    ("femur", ("UpperLeg", "")),
    ("trochanter", ("UpperLeg", "")),
    ("knee", ("UpperLeg", "knee out")),
    ("shank", ("LowerLeg", "")),
    ("shin", ("LowerLeg", "")),
    ("calf", ("LowerLeg", "")),
    ("tibia", ("LowerLeg", "")),
    ("ankle", ("LowerLeg", "ankle out")),
    ("heel", ("Foot", "heel")),
    ("toe", ("Foot", "toe")),
    ("foot", ("Foot", "")),
    ("waistfront", ("Hips", "asis")),
    ("waistback", ("Hips", "psis")),
    ("waist", ("Hips", "")),
    ("pelvis", ("Hips", "")),
    ("sacrum", ("Hips", "psis")),
    ("asis", ("Hips", "asis")),
    ("psis", ("Hips", "psis")),
    ("hip", ("Hips", "")),
    ("head", ("Head", "head")),
    ("back", ("Chest", "")),
    ("chest", ("Chest", "")),
    ("trunk", ("Chest", "")),
    ("torso", ("Chest", "")),
    ("thorax", ("Chest", "")),
    ("arm", ("UpperArm", "")),
    ("leg", ("LowerLeg", "")),
)


class MarkerPlace(NamedTuple):
    """The segment of a marker, the landmark that it marks ("" for none) and its side ("" for the middle)."""

    segment: str
    landmark: str
    side: str


def read_label(label: str) -> MarkerPlace | None:
    """Where a marker sits, or None when its label does not say."""
    bare = re.split(r"[:|]", label)[-1].strip()
    code = re.sub(r"[^A-Z0-9]", "", bare.upper())
    for spelled in (code, code.rstrip("0123456789")):
        if spelled in _CENTRE:
            return MarkerPlace(*_CENTRE[spelled], side="")
    if bare.isupper() or len(code) <= 5:
        for side, letter in (("Left", "L"), ("Right", "R")):
            for rest in (code.removeprefix(letter), code.removesuffix(letter)):
                for spelled in (rest, rest.rstrip("0123456789")):
                    if rest != code and spelled in _CODES:
                        return _placed(*_CODES[spelled], side)
    named, words = split_side(tokens(bare))
    side = {"left": "Left", "right": "Right"}.get(named or "", "")
    runs = {"".join(words[start:stop]) for start in range(len(words)) for stop in range(start + 1, len(words) + 1)}
    for word, (segment, landmark) in _WORDS:
        if word in runs:
            return _placed(segment, landmark, side)
    return None


def _placed(segment: str, landmark: str, side: str) -> MarkerPlace | None:
    if segment in _MIDDLE:
        return MarkerPlace(segment, landmark, side)
    return MarkerPlace(f"{side}{segment}", landmark, side) if side else None


def stem_of(label: str) -> str:
    """The label of a cluster without the number of its marker: "Foot_Marker3" is "Foot"."""
    bare = re.split(r"[:|]", label)[-1].strip()
    return re.sub(r"([\s._-]*marker)?[\s._-]*\d+$", "", bare, flags=re.IGNORECASE) or bare
