"""The skeleton: its joints, their hierarchy and what they mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetune import rotations as rot
from kinetune.body.html_tables import html_table
from kinetune.errors import ParameterError, UnknownNameError, quoted
from kinetune.rotations import Floats

REST_TOLERANCE = 1e-4
FARTHEST = 1e12
"""Metres; a larger number cannot be meant, and squares of it would overflow one day."""

Selection = str | Iterable[str] | None
"""Which joints an edit touches: a joint, a role or a group such as "left arm", several of them, or None for all."""


@dataclass(frozen=True)
class EndSite:
    """The tip of a chain: a point without rotation.

    Parameters
    ----------
    parent : int
        The index of its joint.
    offset : (float, float, float)
        Its position in the frame of that joint, in metres.
    name : str or None
        The name of the tip, if the file has one.

    Examples
    --------
    >>> from kinetune import sample
    >>> [site.name for site in sample("walk").skeleton.end_sites][0]
    'HeadTop'
    """

    parent: int
    offset: tuple[float, float, float]
    name: str | None = None


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Joints in an order in which parents come before children.

    Parameters
    ----------
    names : tuple of str
        One for each joint, as the file spells them; a duplicate is distinguished by a suffix ``#2``, ``#3`` ...
    parents : int array, shape (joints,)
        Index of the parent, -1 for a root. The first joint is a root.
    offsets : array, shape (joints, 3)
        Position in the parent's frame in metres.
    end_sites : tuple of EndSite
        Tips of chains.
    rest : array, shape (joints, 4)
        Local rotations wxyz of the rest pose; identity unless the file says otherwise.
    stated_roles : tuple of (str, int)
        What joints mean, where a file says so (VRM); otherwise it is found from names and shape.

    Examples
    --------
    >>> arm = Skeleton(("shoulder", "elbow"), [-1, 0], [(0, 1.4, 0), (0.3, 0, 0)])
    >>> arm.index("elbow")
    1
    """

    names: tuple[str, ...]
    parents: NDArray[np.intp]
    offsets: Floats
    end_sites: tuple[EndSite, ...] = ()
    rest: Floats = field(default=None)  # type: ignore[arg-type]
    stated_roles: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        names = tuple(self.names)
        count = len(names)
        parents = np.array(self.parents, dtype=np.intp)
        offsets = np.array(self.offsets, dtype=float)
        rest = rot.identity(count) if self.rest is None else np.array(self.rest, dtype=float)
        if count == 0:
            raise ParameterError("A skeleton needs at least one joint.")
        if len(set(names)) != count:
            twice = next(n for n in names if names.count(n) > 1)
            raise ParameterError(f"Two joints of the skeleton are called {quoted(twice)}; names must differ.")
        if parents.shape != (count,) or offsets.shape != (count, 3) or rest.shape != (count, 4):
            raise ParameterError(
                f"A skeleton of {count} joints takes parents ({count},), offsets ({count}, 3) and rest ({count}, 4); "
                f"got {parents.shape}, {offsets.shape} and {rest.shape}."
            )
        if parents[0] != -1 or np.any(parents >= np.arange(count)) or np.any(parents < -1):
            raise ParameterError("Every joint's parent must come before it, and the first joint must be a root (-1).")
        if not np.all(near := np.abs(offsets) < FARTHEST):
            wrong = int(np.argmin(near.all(axis=1)))
            problem = "is far too large" if np.isfinite(offsets[wrong]).all() else "is not a number"
            raise ParameterError(f"The offset of joint {quoted(names[wrong])} {problem}.")
        with np.errstate(over="ignore"):
            length = np.linalg.norm(rest, axis=1)
        if not np.all(np.abs(length - 1.0) < REST_TOLERANCE):
            wrong = int(np.argmin(np.abs(length - 1.0) < REST_TOLERANCE))
            raise ParameterError(
                f"The rest rotation of joint {quoted(names[wrong])} has length {length[wrong]:.4g}, not 1. "
                "Normalize it first (kinetune.rotations.normalize)."
            )
        for site in self.end_sites:
            if not (0 <= site.parent < count and np.all(np.abs(site.offset) < FARTHEST)):
                raise ParameterError(
                    f"An end site hangs on joint {site.parent} at {site.offset}; the joints are 0 to {count - 1} and "
                    "offsets finite numbers."
                )
        for array in (parents, offsets, rest):
            array.setflags(write=False)
        for name, value in (("names", names), ("parents", parents), ("offsets", offsets), ("rest", rest)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "end_sites", tuple(self.end_sites))
        stray = [role for role, joint in self.stated_roles if not 0 <= joint < count]
        if stray:
            raise ParameterError(f'The role "{stray[0]}" is stated of a joint that the skeleton does not have.')

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Skeleton({self.summary()})"

    def _repr_html_(self) -> str:
        rows = {"size": self.summary(), "joints": ", ".join(self.names)}
        return html_table("Skeleton", {**rows, "roles": ", ".join(self.roles) or "none recognised"})

    def summary(self) -> str:
        """A short description: joints, end sites and height."""
        sites = f"{len(self.end_sites)} end sites, " if self.end_sites else ""
        return f"{len(self)} joint{'s' * (len(self) != 1)}, {sites}{self.height:.2f} m"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Skeleton):
            return NotImplemented
        return (
            self.names == other.names
            and np.array_equal(self.parents, other.parents)
            and np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self.rest, other.rest)
            and self.end_sites == other.end_sites
        )

    def __hash__(self) -> int:
        return hash((self.names, self.parents.tobytes(), self.offsets.tobytes()))

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the fields, without what was computed from them."""
        return {field_.name: getattr(self, field_.name) for field_ in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)  # a pickle forgets that
            object.__setattr__(self, name, value)

    def same_joints(self, other: Skeleton) -> bool:
        """Whether both have the same joints in the same tree, regardless of bone lengths."""
        return self.names == other.names and np.array_equal(self.parents, other.parents)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of each joint."""
        children: list[list[int]] = [[] for _ in self.names]
        for joint, parent in enumerate(self.parents.tolist()):
            if parent >= 0:
                children[parent].append(joint)
        return tuple(tuple(c) for c in children)

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """Joints without a parent; the first one is joint 0."""
        return tuple(np.flatnonzero(self.parents < 0).tolist())

    @cached_property
    def levels(self) -> tuple[tuple[NDArray[np.intp], NDArray[np.intp]], ...]:
        """Joints of equal depth and their parents, from the children of the roots downwards."""
        depth = np.zeros(len(self), dtype=np.intp)
        for joint, parent in enumerate(self.parents.tolist()):
            depth[joint] = 0 if parent < 0 else depth[parent] + 1
        layers = (np.flatnonzero(depth == d) for d in range(1, int(depth.max()) + 1))
        return tuple((joints, self.parents[joints]) for joints in layers)

    def chain(self, joint: int, ancestor: int = -1) -> tuple[int, ...]:
        """The joints from ``ancestor`` (exclusive; -1: from the root, inclusive) down to ``joint``."""
        way = []
        at = joint
        while at != ancestor and at >= 0:
            way.append(at)
            at = int(self.parents[at])
        return tuple(reversed(way))

    def subtree(self, joint: int) -> tuple[int, ...]:
        """A joint and all that hangs below it."""
        inside = np.zeros(len(self), dtype=bool)
        inside[joint] = True
        for j in range(joint + 1, len(self)):
            parent = self.parents[j]
            inside[j] = parent >= 0 and inside[parent]
        return tuple(np.flatnonzero(inside).tolist())

    @cached_property
    def rest_positions(self) -> Floats:
        """World joint positions (joints, 3) of the rest pose, the first root at the origin."""
        world, _ = self._rest_world
        return world

    @cached_property
    def rest_rotations(self) -> Floats:
        """World joint rotations (joints, 4) of the rest pose."""
        _, turned = self._rest_world
        return turned

    @cached_property
    def _rest_world(self) -> tuple[Floats, Floats]:
        position = np.array(self.offsets)
        position[0] = 0.0
        turned = np.array(self.rest)
        for joints, parents in self.levels:
            position[joints] = position[parents] + rot.rotate(turned[parents], self.offsets[joints])
            turned[joints] = rot.multiply(turned[parents], self.rest[joints])
        position.setflags(write=False)
        turned.setflags(write=False)
        return position, turned

    @cached_property
    def roles(self) -> Mapping[str, int]:
        """What joints mean: "hips", "left foot", "right hand" ... to index (:mod:`kinetune.body.roles`)."""
        from kinetune.body.roles.joint_roles import find_roles

        return MappingProxyType(dict(self.stated_roles)) if self.stated_roles else find_roles(self)

    @cached_property
    def body_root(self) -> int:
        """The joint that the whole body hangs on: the hips as a rule, the first joint where no role is known.

        Joints above it (a reference at the origin, an armature) are no part of the body, and its offset is a position.
        """
        paths = [self.chain(joint) for joint in self.roles.values()]
        common = 0
        for level in zip(*paths, strict=False):
            if len(set(level)) > 1:
                break
            common = level[0]
        return common

    @cached_property
    def body(self) -> frozenset[int]:
        """The joints of the body: all that hang on :attr:`body_root`, or simply all where that is the first joint."""
        return frozenset(self.subtree(self.body_root) if self.body_root else range(len(self)))

    @cached_property
    def above_body(self) -> tuple[int, ...]:
        """The joints that carry the body and are no part of it, such as a root that stays at the origin."""
        return tuple(self.chain(self.body_root)[:-1])

    @cached_property
    def has_bone(self) -> NDArray[np.bool_]:
        """Whether a bone leads from its parent to each joint, (joints,).

        None leads to a root, to the root of the body (:attr:`body_root`), or to joints above the body or beside it.
        """
        bones = np.zeros(len(self), dtype=bool)
        bones[list(self.body)] = True
        bones[[*self.roots, self.body_root]] = False
        bones.setflags(write=False)
        return bones

    def index(self, name: str) -> int:
        """The index of a joint, by its name, by its name without a rig prefix, or by its role or a synonym of it."""
        joint = self._find(name)
        if joint is None:
            raise self._unknown(name, [*self.names, *self.roles])
        return joint

    def _find(self, name: str) -> int | None:
        from kinetune.body.roles.joint_roles import ALIASES, plain_name

        if name in self._by_name:
            return self._by_name[name]
        folded = name.casefold()
        if folded in self._by_folded_name:
            return self._by_folded_name[folded]
        role = plain_name(name)
        return self.roles.get(ALIASES.get(role, role))

    def _unknown(self, name: str, known: Iterable[str]) -> UnknownNameError:
        from kinetune.body.roles.joint_roles import ALIASES, GROUPS, ROLES, group_joints, plain_name

        role = plain_name(name)
        if role in GROUPS and group_joints(self, role) is not None:
            advice = "That is a group of joints, but a single joint is needed here."
        elif role in GROUPS or ALIASES.get(role, role) in ROLES:
            advice = (
                f'Neither the names nor the shape of this skeleton show its "{role}": give the names of the joints.'
            )
        else:
            advice = "List them all with: kinetune info FILE"
        return UnknownNameError("joint", name, known, advice=advice)

    @cached_property
    def _by_name(self) -> dict[str, int]:
        return {name: joint for joint, name in enumerate(self.names)}

    @cached_property
    def _by_folded_name(self) -> dict[str, int]:
        by_name: dict[str, int] = {}
        for joint, name in enumerate(self.names):
            for spelling in (name, name.rpartition(":")[2]):
                by_name.setdefault(spelling.casefold(), joint)
        return by_name

    def select(self, selection: Selection) -> tuple[int, ...]:
        """The joints that a selection names, in skeleton order.

        Parameters
        ----------
        selection : Selection
            A joint, a role ("left foot"), a group ("left arm", "legs", "spine", "all" ...; see
            :data:`kinetune.body.roles.joint_roles.GROUPS`), several of them (a list, or one string with commas), or
            None for all.
        """
        from kinetune.body.roles.joint_roles import GROUPS, group_joints

        if selection is None:
            return tuple(range(len(self)))
        items = selection.split(",") if isinstance(selection, str) else list(selection)
        joints: set[int] = set()
        for item in items:
            name = item.strip()
            group = None if name in self._by_name else group_joints(self, name)
            if group is None:
                joint = self._find(name)
                if joint is None:
                    groups = [g for g in GROUPS if group_joints(self, g)]
                    raise self._unknown(name, [*self.names, *self.roles, *groups])
                group = (joint,)
            joints.update(group)
        return tuple(sorted(joints))

    @cached_property
    def height(self) -> float:
        """The extent of the rest pose in metres, end sites included, along its longest side.

        For a character in T-pose this is close to its standing height; contacts and speeds are scaled by it. Joints
        above the body (:attr:`body_root`) do not count.
        """
        points = [*self.rest_positions[sorted(self.body)]]
        for site in self.end_sites:
            if site.parent not in self.body:
                continue
            turned = rot.rotate(self.rest_rotations[site.parent], site.offset)
            points.append(self.rest_positions[site.parent] + turned)
        return float(np.max(np.ptp(np.array(points), axis=0)))

    def scaled(self, factor: float) -> Skeleton:
        """The same skeleton, larger or smaller."""
        sites = tuple(
            EndSite(s.parent, (s.offset[0] * factor, s.offset[1] * factor, s.offset[2] * factor), s.name)
            for s in self.end_sites
        )
        return replace(self, offsets=self.offsets * factor, end_sites=sites)


def distinct_names(names: Iterable[str]) -> tuple[str, ...]:
    """Unique names: the second "Hand" becomes "Hand#2"."""
    seen: dict[str, int] = {}
    taken: set[str] = set()
    result = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        fresh = name if seen[name] == 1 else f"{name}#{seen[name]}"
        while fresh in taken:
            seen[name] += 1
            fresh = f"{name}#{seen[name]}"
        taken.add(fresh)
        result.append(fresh)
    return tuple(result)


def as_offset(values: ArrayLike) -> tuple[float, float, float]:
    """Three numbers as a tuple of floats."""
    x, y, z = np.asarray(values, dtype=float).tolist()
    return x, y, z
