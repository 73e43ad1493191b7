"""One smooth body for any skeleton, as a surface that follows its joints.

Round cones and balls are placed round the joints of a human body that stands with its arms lowered, joined by a soft
minimum of their distances, and meshed once; the joints bend the result. What is not a human body, and every joint that
no role names, becomes a tapered bone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.kinematics.forward import forward
from kinetune.body.skeleton import Skeleton
from kinetune.errors import KinetuneError
from kinetune.formats.characters._surface_nets import DistanceGrid, Solid, ball, cone
from kinetune.formats.characters.skinned_mesh import MeshMaterial, MeshPart, SkinnedMesh, join_parts, rest_frames
from kinetune.retarget.physique import Physique, physique_of, rest_clip
from kinetune.rotations import Floats

_SIDES = (("left", 1.0), ("right", -1.0))
_LOWERED = np.radians(42.0)  # between a hanging arm and the arm of the pose that is meshed
_LEG = 0.86  # metres from hip to ankle of a body of 1.75 m
_NECK = 0.03  # metres from the shoulders up to where the neck leaves them
_CELL, _FINE = 0.0105, 0.0055
_FULL, _PREVIEW = (1.0, 1.0), (2.6, 2.6)  # how much larger the cells of the body and of its hands are
_SCENE = (2.6, 1.6)  # fingers stay whole
_MARGIN = 0.07
_SMOOTHINGS = 10
_FACE, _DEEP = 0.62, np.array([0.10, 0.12, 0.145])
_RINGS, _SIDES_OF_BONE = 5, 10
_PORCELAIN = (0.82, 0.79, 0.75)
_SIDE_TINTS = {"left": np.array([0.19, 0.45, 0.90]), "right": np.array([0.90, 0.57, 0.11])}
_FLAT = 1e-3  # metres; a skeleton that is smaller has no pose
_LEAST_VOLUME = 0.1  # of a blend of bones; what is flatter cannot be undone
_FINGERS = 3  # a hand with fewer is drawn whole


def mannequin_mesh(clip: Clip, *, coarse: bool = False) -> SkinnedMesh:
    """The body that shows the motion of a clip without a character.

    Parameters
    ----------
    clip : Clip
        Its skeleton says how the body is built; where its rest pose does not show how it stands, its motion does.
    coarse : bool
        A seventh of the triangles, for a preview.

    Returns
    -------
    SkinnedMesh
        With one bone for each joint, and one material; tints darken the face, the spine and all hollows.

    Notes
    -----
    Laws (``tests/formats/characters/test_mannequin_mesh.py``): the surface is closed, its weights sum to one, each side
    follows joints of that side alone, and in the pose in which it was made every bone lies inside it.
    """
    body = _human_mesh(clip, _PREVIEW if coarse else _FULL)
    return _bone_mesh(clip) if body is None else body


def mannequin_at_rest(clip: Clip, root: Floats) -> SkinnedMesh | None:
    """A light body as a scene binds a skin: at rest with the first joint at ``root`` (3,).

    None for what is not a human body. A rest pose that turns bones so far that no skin can be bound in it, as that of
    some captures does, is left alone: the body is then bound as it stands, at the same position.

    Notes
    -----
    Each vertex goes back through the very blend of its bones that carries it to the pose in which the body was made, so
    that in this pose the result is that body, to the last vertex.
    """
    made = _human_mesh(clip, _SCENE)
    if made is None:
        return None
    binds = np.linalg.inv(rest_frames(clip.skeleton, root))
    blends = np.einsum("vn,vnij->vij", made.weights, (np.linalg.inv(made.binds) @ binds)[made.bones])
    linear = blends[:, :3, :3]
    if np.linalg.det(linear).min() < _LEAST_VOLUME:
        moved = made.binds.copy()
        moved[:, :3, 3] -= moved[:, :3, :3] @ root
        return replace(made, points=made.points + root, binds=moved)
    points = np.linalg.solve(linear, (made.points - blends[:, :3, 3])[..., None])[..., 0]
    normals = np.einsum("vij,vi->vj", linear, made.normals)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return replace(made, points=points, normals=normals, binds=binds)


def _human_mesh(clip: Clip, coarseness: tuple[float, float]) -> SkinnedMesh | None:
    if not {"head", "neck"} & clip.skeleton.roles.keys():
        return None  # a robot, most likely
    try:
        return _upright_mesh(clip.skeleton, coarseness)
    except KinetuneError:  # its rest pose does not show how it stands
        pass
    try:
        return _built(clip.skeleton, _Stance(physique_of(clip)), coarseness)
    except KinetuneError:  # not a human body
        return None


@lru_cache(maxsize=4)
def _upright_mesh(skeleton: Skeleton, coarseness: tuple[float, float]) -> SkinnedMesh:
    """The body of a skeleton whose rest pose stands: the same for every motion."""
    return _built(skeleton, _Stance(physique_of(rest_clip(skeleton))), coarseness)


def _bone_mesh(clip: Clip) -> SkinnedMesh:
    return _joined(clip.skeleton, _plain_pose(clip), max(0.05, clip.skeleton.height / 1.7), [], set())


def _built(skeleton: Skeleton, pose: _Stance, coarseness: tuple[float, float]) -> SkinnedMesh:
    parts = _human_parts(pose, *coarseness)
    return _joined(skeleton, (pose.positions, pose.world), pose.scale, parts, pose.used)


def _plain_pose(clip: Clip) -> tuple[Floats, Floats]:
    """The rest pose, or the first frame of a skeleton that has none."""
    skeleton = clip.skeleton
    if np.ptp(skeleton.rest_positions, axis=0).max() < _FLAT:
        return clip.positions()[0], clip.world_rotations()[0]
    return skeleton.rest_positions, rot.normalize(skeleton.rest_rotations)


def _joined(
    skeleton: Skeleton, pose: tuple[Floats, Floats], scale: float, parts: list[MeshPart], used: set[int]
) -> SkinnedMesh:
    positions, world = pose
    parts = [*parts, *_bones(skeleton, positions, world, used, scale)]
    binds = np.zeros((len(skeleton), 4, 4))
    binds[:, :3, :3] = np.swapaxes(rot.to_matrix(world), 1, 2)
    binds[:, :3, 3] = -np.einsum("jik,jk->ji", binds[:, :3, :3], positions)
    binds[:, 3, 3] = 1.0
    mesh = join_parts(parts, range(len(skeleton)), list(binds), [MeshMaterial(_PORCELAIN)])
    assert mesh is not None
    return mesh


def coloured_sides(mesh: SkinnedMesh, skeleton: Skeleton) -> SkinnedMesh:
    """The same body with forearms, hands, shins and feet blue on the left and yellow on the right."""
    tints = mesh.tints.copy()
    leading = np.take_along_axis(mesh.bones, mesh.weights.argmax(axis=1)[:, None], axis=1)[:, 0]
    for side, colour in _SIDE_TINTS.items():
        for part in ("lower arm", "lower leg"):
            if f"{side} {part}" in skeleton.roles:
                tints[np.isin(leading, _below(skeleton, skeleton.roles[f"{side} {part}"]))] *= colour
    return replace(mesh, tints=tints)


def _below(skeleton: Skeleton, joint: int) -> list[int]:
    """A joint and all that hang on it."""
    rows = [joint]
    for each in rows:
        rows.extend(skeleton.children[each])
    return rows


class _Stance:
    """A human body with lowered arms, its hips' middle above the origin, facing Z."""

    def __init__(self, body: Physique) -> None:
        self.skeleton, self.roles = body.skeleton, dict(body.roles)
        frames = np.tile(rot.identity(), (len(self.skeleton), 1))
        for side, sign in _SIDES:
            shoulder = self.roles.get(f"{side} upper arm")
            if shoulder is not None:
                turn = rot.from_axis_angle(np.array([0.0, 0.0, 1.0]), sign * _LOWERED)
                frames[_below(self.skeleton, shoulder)] = turn
        self.world = rot.multiply(frames, rot.inverse(body.axes))
        parents = self.skeleton.parents
        above = self.world[np.maximum(parents, 0)]
        local = np.where((parents < 0)[:, None], self.world, rot.multiply(rot.inverse(above), self.world))
        offsets = np.array(body.offsets)
        self.positions = forward(self.skeleton, np.zeros((1, 3)), local[None], offsets[None])[0][0]
        self.positions = self.positions - 0.5 * (self.at("left upper leg") + self.at("right upper leg"))
        self.scale = body.leg / _LEG
        self.fingers = {
            side: [joint for joint in self.skeleton.children[self.roles[f"{side} hand"]] if self._is_long(joint)]
            for side, _ in _SIDES
            if f"{side} hand" in self.roles
        }
        self.used = {joint for role in body.skeleton.roles.values() for joint in self.skeleton.chain(role)}
        self.used.update(joint for fingers in self.fingers.values() for joint in fingers)
        whole = [f"{side} hand" for side, fingers in self.fingers.items() if len(fingers) < _FINGERS]
        for role in ("left toes", "right toes", "head", *whole):
            if role in self.roles:
                self.used.update(_below(self.skeleton, self.roles[role]))

    def at(self, role: str) -> Floats:
        return np.asarray(self.positions[self.roles[role]])

    def get(self, role: str, otherwise: Floats) -> Floats:
        return self.at(role) if role in self.roles else otherwise

    @cached_property
    def neck_base(self) -> Floats | None:
        """Where the neck leaves the shoulders: at its joint, or further up the neck where that lies between them."""
        if "neck" not in self.roles:
            return None
        neck = self.at("neck")
        arms = [self.at(f"{side} upper arm")[1] for side, _ in _SIDES if f"{side} upper arm" in self.roles]
        if not arms or "head" not in self.roles:
            return neck
        level = float(np.mean(arms)) + _NECK * self.scale
        chain = self.positions[[self.roles["neck"], *self.skeleton.chain(self.roles["head"], self.roles["neck"])]]
        if level <= neck[1] or np.any(np.diff(chain[:, 1]) <= 0.0):
            return neck
        return np.stack([np.interp(level, chain[:, 1], column) for column in chain.T])

    def _is_long(self, joint: int) -> bool:
        apart = self.positions[joint] - self.positions[self.skeleton.parents[joint]]
        return float(np.linalg.norm(apart)) > 0.02 * self.scale


class _Sculptor:
    """Places shapes in metres of a body of 1.75 m, scaled to the body at hand."""

    def __init__(self, scale: float) -> None:
        self.scale = scale

    def cone(
        self,
        start: Floats,
        end: Floats,
        radii: tuple[float, float],
        width: float,
        squeeze: tuple[float, float] = (1.0, 1.0),
        shifts: tuple[Sequence[float], Sequence[float]] = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    ) -> tuple[Solid, float]:
        s = self.scale
        first, last = start + s * np.array(shifts[0]), end + s * np.array(shifts[1])
        return cone(first, last, s * radii[0], s * radii[1], squeeze), s * width

    def ball(
        self, centre: Floats, shift: Sequence[float], radii: tuple[float, float, float], width: float
    ) -> tuple[Solid, float]:
        s = self.scale
        return ball(centre + s * np.array(shift), (s * radii[0], s * radii[1], s * radii[2])), s * width


def _trunk(pose: _Stance, sculptor: _Sculptor) -> list[tuple[Solid, float]]:
    """Hips, belly, ribs, shoulders and neck; breast and shoulder blades say which way it faces."""
    s = pose.scale
    hips = 0.5 * (pose.at("left upper leg") + pose.at("right upper leg"))
    head = pose.get("head", hips + s * np.array([0.0, 0.64, 0.0]))
    neck = head - s * np.array([0.0, 0.1, 0.012]) if pose.neck_base is None else pose.neck_base
    chest = hips + (neck - hips) * 0.69
    waist = hips + (neck - hips) * 0.44
    make, put = sculptor.cone, sculptor.ball
    shapes = [
        make(hips, hips, (0.098, 0.100), 0.0, (1.18, 0.88), ((-0.001, 0.0, -0.006), (0.001, 0.02, -0.006))),
        make(hips, waist, (0.104, 0.096), 0.09, (1.16, 0.84), ((0, 0.05, -0.004), (0, -0.02, 0.006))),
        make(waist, chest, (0.096, 0.116), 0.07, (1.22, 0.80), ((0, -0.02, 0.008), (0, 0, 0.006))),
        make(chest, chest, (0.112, 0.098), 0.07, (1.42, 0.80), ((0, 0.02, 0.004), (0, 0.08, -0.002))),
        make(chest, neck, (0.074, 0.046), 0.07, (1.4, 0.92), ((0, 0.10, -0.008), (0, 0.005, -0.004))),
        make(neck, head, (0.049, 0.049), 0.035, (1.0, 1.0), ((0, -0.03, -0.004), (0, 0.008, 0))),
    ]
    for side, sign in _SIDES:
        if f"{side} upper arm" in pose.roles:
            arm = pose.at(f"{side} upper arm")
            inner = neck + (arm - neck) * np.array([0.14, 0.75, 0.75])
            shapes.append(
                make(inner, arm, (0.05, 0.056), 0.06, shifts=((0, 0, -0.012), (-0.012 * sign, -0.01, -0.004)))
            )
        shapes += [
            put(chest, (0.056 * sign, 0.07, 0.068), (0.068, 0.046, 0.030), 0.05),
            put(chest, (0.070 * sign, 0.07, -0.066), (0.055, 0.080, 0.026), 0.05),
            put(hips, (0.058 * sign, -0.035, -0.042), (0.066, 0.072, 0.060), 0.07),
        ]
    return shapes


def _arm(pose: _Stance, sculptor: _Sculptor, side: str) -> list[tuple[Solid, float]]:
    roles = [f"{side} {part}" for part in ("upper arm", "lower arm", "hand")]
    if any(role not in pose.roles for role in roles):
        return []
    upper, lower, hand = (pose.at(role) for role in roles)
    make = sculptor.cone
    middle, muscle = upper + 0.2 * (lower - upper), lower + 0.18 * (hand - lower)
    return [
        make(upper, lower, (0.053, 0.039), 0.0),
        make(middle, upper + 0.7 * (lower - upper), (0.045, 0.037), 0.02, shifts=((0, 0, 0.011), (0, 0, 0.007))),
        make(lower, hand, (0.039, 0.027), 0.012),
        make(muscle, lower + 0.5 * (hand - lower), (0.040, 0.031), 0.02, shifts=((0, 0, 0.003), (0, 0, 0))),
    ]


def _hand(pose: _Stance, sculptor: _Sculptor, side: str, sign: float) -> list[tuple[Solid, float]]:
    """A palm, and a relaxed fan of fingers where the skeleton has none."""
    role = f"{side} hand"
    if role not in pose.roles or f"{side} lower arm" not in pose.roles:
        return []
    s, hand = pose.scale, pose.at(role)
    along = hand - pose.at(f"{side} lower arm")
    along = along / max(float(np.linalg.norm(along)), 1e-9)
    ahead = np.array([0.0, 0.0, 1.0])
    palm = np.cross(ahead, along) * sign  # away from the back of the hand

    def spot(out: float, down: float, forth: float) -> Floats:
        return np.asarray(hand + s * (along * out + palm * down + ahead * forth))

    def finger(points: Sequence[tuple[float, float, float]], radii: Sequence[float], width: float) -> None:
        for k in range(len(points) - 1):
            made = cone(spot(*points[k]), spot(*points[k + 1]), s * radii[k], s * radii[k + 1])
            shapes.append((made, s * width))

    shapes: list[tuple[Solid, float]] = []
    finger([(-0.03, 0.0, 0.0), (0.03, 0.0, 0.002)], (0.027, 0.026), 0.0)
    known = pose.fingers.get(side, [])
    if len(known) >= _FINGERS:
        for joint in known:
            start, end = spot(0.02, 0.0, 0.0), pose.positions[joint]
            shapes.append((cone(start, end, 0.020 * s, 0.0125 * s), 0.014 * s))
        return shapes
    for z in (-0.018, 0.0, 0.018):
        finger([(0.035, 0.002, z * 0.8), (0.078, 0.004, z * 1.15)], (0.019, 0.016), 0.02)
    for number, (z, first, last) in enumerate(
        ((0.030, 0.088, 0.152), (0.011, 0.093, 0.163), (-0.008, 0.09, 0.156), (-0.026, 0.082, 0.138))
    ):
        drop = 0.002 * number
        middle = 0.5 * (first + last)
        points = [
            (first - 0.02, 0.004, 0.95 * z),
            (middle, 0.010 + drop, 1.08 * z),
            (last, 0.026 + 2 * drop, 1.06 * z),
        ]
        finger(points, (0.0115, 0.0105, 0.0088), 0.007)
    finger([(0.022, 0.008, 0.026), (0.06, 0.016, 0.056), (0.088, 0.022, 0.063)], (0.0165, 0.012, 0.0098), 0.012)
    return shapes


def _leg(pose: _Stance, sculptor: _Sculptor, side: str, sign: float) -> list[tuple[Solid, float]]:
    """Thigh, shin and foot; heels behind and toes ahead."""
    s = pose.scale
    upper, lower, foot = (pose.at(f"{side} {part}") for part in ("upper leg", "lower leg", "foot"))
    toes = pose.get(f"{side} toes", foot + s * np.array([0.0, -0.048, 0.135]))
    sole = min(toes[1] - 0.016 * s, foot[1] - 0.045 * s)
    make = sculptor.cone
    thigh, calf = upper + 0.28 * (lower - upper), lower + 0.2 * (foot - lower)

    def low(point: Floats, height: float, x: float = 0.0, z: float = 0.0) -> Floats:
        return np.array([point[0] + s * x, sole + s * height, point[2] + s * z])

    return [
        make(upper, lower, (0.077, 0.052), 0.0, shifts=((-0.01 * sign, -0.01, 0), (0, 0, 0.004))),
        make(thigh, upper + 0.72 * (lower - upper), (0.066, 0.050), 0.03, shifts=((0, 0, 0.018), (0, 0, 0.010))),
        make(lower, foot, (0.052, 0.033), 0.006, shifts=((0, 0, 0.004), (0, 0.03, -0.006))),
        make(calf, lower + 0.56 * (foot - lower), (0.043, 0.034), 0.03, shifts=((0, 0, -0.022), (0, 0, -0.014))),
        make(foot, foot, (0.038, 0.036), 0.03, shifts=((0, 0.03, -0.006), (0, -0.012, -0.006))),
        make(low(foot, 0.034, z=-0.042), low(foot, 0.033, z=-0.028), (0.033, 0.033), 0.04),
        make(foot, toes, (0.038, 0.028), 0.04, (1.05, 1.0), ((0, -0.014, 0.02), (0, 0.012, -0.01))),
        make(low(foot, 0.030, -0.004 * sign), low(toes, 0.026, 0.004 * sign, 0.01), (0.031, 0.026), 0.03, (1.35, 1.0)),
        make(low(toes, 0.025, 0.004 * sign), low(toes, 0.019, 0.001 * sign, 0.058), (0.025, 0.018), 0.02, (1.45, 1.0)),
    ]


def _human_parts(pose: _Stance, coarse: float, coarse_hands: float) -> list[MeshPart]:
    s, sculptor = pose.scale, _Sculptor(pose.scale)
    trunk = _trunk(pose, sculptor)
    arms = {side: _arm(pose, sculptor, side) for side, _ in _SIDES}
    legs = {side: _leg(pose, sculptor, side, sign) for side, sign in _SIDES}
    limbs = [shape for each in (arms, legs) for side, _ in _SIDES for shape in each[side]]
    body = _grid([*trunk, *limbs], coarse * _CELL * s, _MARGIN * s)
    for shape, width in trunk:
        body.add(shape, width)
    points = body.points()
    rest = body.like()
    rest.values = body.values.copy()
    fields: dict[str, DistanceGrid] = {}
    for side, _ in _SIDES:
        if arms[side]:
            arm = body.like()
            for shape, width in arms[side]:
                arm.add(shape, width)
            fields[side] = arm
            shoulder = pose.at(f"{side} upper arm")
            far = np.linalg.norm(points - shoulder, axis=-1)
            body.join(arm, s * np.clip(0.055 * (0.15 * s - far) / (0.10 * s), 0.003, 0.055))
        leg = body.like()
        for shape, width in legs[side]:
            leg.add(shape, width)
        hip = pose.at(f"{side} upper leg")[1]
        width = s * np.clip(0.08 * (points[..., 1] - hip + 0.14 * s) / (0.10 * s), 0.003, 0.08)
        joined = rest.like()
        joined.values = rest.values.copy()
        joined.join(leg, width)  # legs join the trunk, never each other
        body.values = np.minimum(body.values, joined.values)
    parts = [_part(pose, body, arms=(rest, fields))]
    if "head" in pose.roles:
        head = pose.at("head")
        shapes = [
            sculptor.ball(head, (0, 0.118, 0), (0.075, 0.092, 0.096), 0.0),
            sculptor.cone(head, head, (0.064, 0.044), 0.04, (1.0, 0.98), ((0, 0.08, 0.022), (0, 0.02, 0.04))),
            sculptor.cone(head, head, (0.047, 0.047), 0.03, shifts=((0, -0.03, -0.002), (0, 0.03, 0))),
        ]
        parts.append(_part(pose, _filled(shapes, 1.3 * coarse * _FINE * s, 0.03 * s), face=head, only="head"))
    for side, sign in _SIDES:
        shapes = _hand(pose, sculptor, side, sign)
        if shapes:
            parts.append(_part(pose, _filled(shapes, coarse_hands * _FINE * s, 0.02 * s), only=f"{side} hand"))
    return parts


def _grid(shapes: Sequence[tuple[Solid, float]], cell: float, margin: float) -> DistanceGrid:
    low = np.min([shape.low for shape, _ in shapes], axis=0)
    high = np.max([shape.high for shape, _ in shapes], axis=0)
    return DistanceGrid(low, high, cell, margin)


def _filled(shapes: Sequence[tuple[Solid, float]], cell: float, margin: float) -> DistanceGrid:
    made = _grid(shapes, cell, margin)
    for shape, width in shapes:
        made.add(shape, width)
    return made


def _part(
    pose: _Stance,
    grid: DistanceGrid,
    *,
    face: Floats | None = None,
    only: str | None = None,
    arms: tuple[DistanceGrid, dict[str, DistanceGrid]] | None = None,
) -> MeshPart:
    """A grid as a surface with weights and shades.

    face : where the head is, to mark the face.
    only : the role whose joint all of it follows.
    arms : the distances of the trunk alone and of each arm alone: what is near an arm may still be part of the trunk.
    """
    points, normals, triangles = grid.surface()
    s = pose.scale
    shade = np.ones(len(points))
    for reach, weight in ((0.012, 0.5), (0.03, 0.31), (0.06, 0.19)):
        free = grid.at(points + normals * reach * s) / s
        shade -= 0.62 * weight * np.clip(reach - free, 0.0, None) / reach
    shade = np.clip(shade, 0.35, 1.0)
    marks = np.zeros(len(points))
    if face is not None:
        x, y, z = ((points - face) / s).T
        rim = np.hypot(x / 0.058, (y - 0.098) / 0.060)
        marks = np.where(z > 0.03, np.clip(1.0 - (rim - 0.88) / 0.16, 0.0, 1.0), 0.0)
    tints: Floats = np.stack([shade**1.35, shade**1.38, shade**1.38], axis=1)
    tints += (_FACE * marks)[:, None] * (_DEEP - tints)
    weights: Floats = np.ones((len(points), 1))
    bones = np.full((len(points), 1), pose.roles["hips" if only is None else only])
    if arms is not None:
        bones, weights = _weights(pose, points, triangles, *arms)
    return MeshPart(points, normals, None, tints, triangles, np.zeros(len(triangles), np.int64), bones, weights)


def _weights(
    pose: _Stance, points: Floats, triangles: NDArray[np.int64], trunk: DistanceGrid, arms: dict[str, DistanceGrid]
) -> tuple[NDArray[np.int64], Floats]:
    """The four bones that each point follows most: those near it, evened out along the surface."""
    s = pose.scale
    segments = _segments(pose)
    joints = list(segments)
    apart = np.full((len(points), len(joints)), np.inf)
    for column, joint in enumerate(joints):
        start, end, side = segments[joint]
        along = end - start
        share = np.clip((points - start) @ along / max(float(along @ along), 1e-9), 0.0, 1.0)
        apart[:, column] = np.linalg.norm(points - start - share[:, None] * along, axis=1)
        if side:
            apart[side * points[:, 0] < -0.02 * s, column] = np.inf
    of_trunk = np.minimum(trunk.at(points), 0.2)
    for name, grid in arms.items():
        on_side = points[:, 0] * dict(_SIDES)[name] > 0.0
        beyond = np.where(on_side, np.minimum(grid.at(points), 0.2) - of_trunk, 0.0)
        arm = set(_below(pose.skeleton, pose.roles[f"{name} upper arm"]))
        trunk_bones = [joint not in arm and not segments[joint][2] for joint in joints]
        for column, joint in enumerate(joints):
            if joint in arm:
                apart[:, column] += 1.3 * np.maximum(beyond, 0.0)
            elif trunk_bones[column] or joint == pose.roles.get(f"{name} collar"):
                apart[:, column] += 1.3 * np.maximum(-beyond, 0.0)
    nearest = apart.argmin(axis=1)
    reach = np.array([_reach(pose, joint) for joint in joints])[nearest] * s
    share = np.clip(1.0 - (apart - apart.min(axis=1, keepdims=True)) / reach[:, None], 0.0, 1.0)
    share = np.where(_neighbours(pose, joints)[nearest], share, 0.0)
    weights = share * share * (3.0 - 2.0 * share)
    weights /= weights.sum(axis=1, keepdims=True)
    ends = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    count = len(points)
    links = sparse.coo_matrix((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), (count, count)).tocsr()
    degree = np.maximum(np.asarray(links.sum(axis=1)), 1.0)
    for _ in range(_SMOOTHINGS):
        weights += 0.6 * ((links @ weights) / degree - weights)
    chosen = np.argsort(-weights, axis=1)[:, :4]
    return np.array(joints)[chosen], np.take_along_axis(weights, chosen, axis=1)


def _segments(pose: _Stance) -> dict[int, tuple[Floats, Floats, float]]:
    """For each joint that bends the body the segment it carries, and the side that it stays on."""
    s, roles = pose.scale, pose.roles
    made: dict[int, tuple[Floats, Floats, float]] = {}
    top = roles.get("head", roles.get("neck"))
    chain = [] if top is None else [joint for joint in pose.skeleton.chain(top) if joint in _under(pose, "hips")]
    spine = sorted((j for j in chain if j != roles.get("head")), key=lambda joint: float(pose.positions[joint, 1]))
    ends = [*spine[1:], roles.get("head", spine[-1])] if spine else []
    neck, base = roles.get("neck"), pose.neck_base
    for joint, above in zip(spine, ends, strict=True):
        start, end = pose.positions[joint], pose.positions[above]
        if base is not None and above == neck:
            end = base
        elif base is not None and joint in _under(pose, "neck"):
            start, end = (point if point[1] > base[1] else base for point in (start, end))
        made[joint] = start + 0.15 * (end - start), start + 0.85 * (end - start), 0.0
    if "head" in roles:
        head = pose.at("head")
        made[roles["head"]] = head + s * np.array([0, 0.03, 0.02]), head + s * np.array([0, 0.16, 0]), 0.0
    for side, sign in _SIDES:
        for names, ends_at in (
            (("collar", "upper arm"), (0.25, 0.66)),
            (("upper arm", "lower arm"), (0.1, 1.0)),
            (("lower arm", "hand"), (0.0, 1.0)),
            (("upper leg", "lower leg"), (0.12, 1.0)),
            (("lower leg", "foot"), (0.0, 0.95)),
            (("foot", "toes"), (0.1, 0.8)),
        ):
            first, last = (roles.get(f"{side} {name}") for name in names)
            if first is None:
                continue
            start = pose.positions[first]
            end = start + s * np.array([0.0, -0.04, 0.12]) if last is None else pose.positions[last]
            made[first] = start + ends_at[0] * (end - start), start + ends_at[1] * (end - start), sign
        for name, offset in (("hand", None), ("toes", (0.0, 0.0, 0.06))):
            last = roles.get(f"{side} {name}")
            if last is None:
                continue
            start = pose.positions[last]
            if offset is None:
                along = start - pose.positions[pose.skeleton.parents[last]]
                step = 0.1 * s * along / max(float(np.linalg.norm(along)), 1e-9)
            else:
                step = s * np.array(offset)
            made[last] = start + 0.1 * step, start + step, sign
    return made


def _under(pose: _Stance, role: str) -> set[int]:
    return set(_below(pose.skeleton, pose.roles[role]))


def _reach(pose: _Stance, joint: int) -> float:
    """How far round a bend the skin follows both bones, metres of a body of 1.75 m."""
    for side, _ in _SIDES:
        if joint == pose.roles.get(f"{side} upper leg"):
            return 0.125
        if joint in (pose.roles.get(f"{side} {part}") for part in ("upper arm", "collar")):
            return 0.09
        if joint in (pose.roles.get(f"{side} {part}") for part in ("lower leg", "foot", "toes")):
            return 0.058
        if joint in (pose.roles.get(f"{side} {part}") for part in ("lower arm", "hand")):
            return 0.042
    return 0.11


def _neighbours(pose: _Stance, joints: Sequence[int]) -> NDArray[np.bool_]:
    """Which bones may share a point: those that hang on one another, or on the same one (bones, bones)."""
    known = set(joints)
    above: dict[int, int] = {}
    for joint in joints:
        parent = int(pose.skeleton.parents[joint])
        while parent >= 0 and parent not in known:
            parent = int(pose.skeleton.parents[parent])
        above[joint] = parent
    table = np.eye(len(joints), dtype=bool)
    for a, first in enumerate(joints):
        for b, second in enumerate(joints):
            table[a, b] |= above[first] == second or above[second] == first or above[first] == above[second]
    return table


def _bones(skeleton: Skeleton, positions: Floats, world: Floats, used: set[int], scale: float) -> list[MeshPart]:
    """Tapered bones for joints that no role names."""
    parts = []
    for joint in skeleton.body:
        parent = int(skeleton.parents[joint])
        if skeleton.has_bone[joint] and joint not in used and parent >= 0:
            parts.append(_bone(positions[parent], positions[joint], parent, joint, scale))
    for site in skeleton.end_sites:
        if site.parent in skeleton.body and site.parent not in used:
            end = positions[site.parent] + rot.rotate(world[site.parent], np.array(site.offset))
            parts.append(_bone(positions[site.parent], end, site.parent, site.parent, scale))
    if not parts and not used:
        root = skeleton.body_root
        up = np.array([0.0, 0.1 * scale, 0.0])
        parts.append(_bone(positions[root] - up, positions[root] + up, root, root, 4.0 * scale))
    return parts


def _bone(start: Floats, end: Floats, joint: int, far: int, scale: float) -> MeshPart:
    """A round cone that follows a joint; its far end blends into the next."""
    along = end - start
    length = float(np.linalg.norm(along))
    radius = float(np.clip(0.13 * length, 0.009 * scale, 0.05 * scale))
    axis = along / length if length > 1e-9 else np.array([0.0, 1.0, 0.0])
    side = np.cross(axis, [1.0, 0.0, 0.0] if abs(axis[0]) < 0.8 else [0.0, 0.0, 1.0])
    side /= np.linalg.norm(side)
    other = np.cross(axis, side)
    angle = 2.0 * np.pi * np.arange(_SIDES_OF_BONE) / _SIDES_OF_BONE
    ring = np.cos(angle)[:, None] * side + np.sin(angle)[:, None] * other
    points, normals = [], []
    for centre, size, turns in (
        (start, radius, np.linspace(-np.pi / 2, 0.0, _RINGS)),
        (end, 0.8 * radius, np.linspace(0.0, np.pi / 2, _RINGS)),
    ):
        for turn in turns:
            outward = np.cos(turn) * ring + np.sin(turn) * axis
            points.append(centre + size * outward)
            normals.append(outward)
    n, rows = _SIDES_OF_BONE, 2 * _RINGS
    faces = [
        corner
        for row in range(rows - 1)
        for k in range(n)
        for corner in (
            (row * n + k, row * n + (k + 1) % n, (row + 1) * n + k),
            (row * n + (k + 1) % n, (row + 1) * n + (k + 1) % n, (row + 1) * n + k),
        )
    ]
    count = rows * n
    bones = np.full((count, 1), joint)
    return MeshPart(
        np.concatenate(points),
        np.concatenate(normals),
        None,
        None,
        np.array(faces, np.int64),
        np.zeros(len(faces), np.int64),
        bones,
        np.ones((count, 1)),
    )
