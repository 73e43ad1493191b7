"""The nodes of a glTF file: their tree, and which of them are joints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinetune import rotations as rot
from kinetune.formats.gltf.container import GltfFile
from kinetune.formats.scene_nodes import Placement, Tree, joint_above, placement_of


def read_tree(file: GltfFile) -> Tree:
    """The node tree, checked: every node has at most one parent and there is no circle."""
    nodes = file.listed("nodes")
    parents = [-1] * len(nodes)
    for number, node in enumerate(nodes):
        children = node.get("children", [])
        if not isinstance(children, list) or not all(file.is_index(c, len(nodes)) for c in children):
            raise file.fail(f'node {number}: "children" must be numbers of nodes below {len(nodes)}.')
        for child in children:
            if parents[child] != -1 or child == number:
                raise file.fail(f"node {child} has two parents.")
            parents[child] = number
    order = [n for n, parent in enumerate(parents) if parent < 0]
    for number in order:
        order += nodes[number].get("children", [])
    if len(order) != len(nodes):
        raise file.fail("some nodes are their own ancestors.")
    names = tuple(str(node.get("name") or f"node_{n}") for n, node in enumerate(nodes))
    return Tree(names, tuple(parents), tuple(order), tuple(_placement(file, n, x) for n, x in enumerate(nodes)), nodes)


def _placement(file: GltfFile, number: int, node: Mapping[str, Any]) -> Placement:
    where = f"node {number}"
    matrix = file.numbers(node, "matrix", 16, where)
    if matrix is not None:
        return placement_of(matrix.reshape(1, 4, 4).swapaxes(1, 2))
    translation = file.numbers(node, "translation", 3, where)
    rotation = file.numbers(node, "rotation", 4, where)
    scale = file.numbers(node, "scale", 3, where)
    return Placement(
        np.zeros((1, 3)) if translation is None else translation[None],
        rot.identity(1) if rotation is None else rot.normalize(rotation[None, [3, 0, 1, 2]]),
        np.ones((1, 3)) if scale is None else scale[None],
    )


def choose_joints(file: GltfFile, tree: Tree, animated: frozenset[int]) -> tuple[list[int], list[str]]:
    """The nodes that are joints, parents first, and remarks; empty when nothing in the file is a figure."""
    skins = []
    for number, skin in enumerate(file.listed("skins")):
        joints = skin.get("joints", [])
        if not isinstance(joints, list) or not joints or not all(file.is_index(j, len(tree.nodes)) for j in joints):
            raise file.fail(f'skin {number}: "joints" must be numbers of nodes below {len(tree.nodes)}.')
        skins.append(list(dict.fromkeys(joints)))
    if not skins:
        return [n for n in tree.order if n in animated], []
    skins.sort(key=len, reverse=True)
    chosen, left = skins[0], 0
    for others in skins[1:]:
        if set(others) & set(chosen):
            chosen = list(dict.fromkeys([*chosen, *others]))
        else:
            left += 1
    remarks = [f"{left} smaller skins with joints of their own are left out."] if left else []
    rank = {node: i for i, node in enumerate(chosen)}
    up = [joint_above(tree, node, rank) for node in chosen]
    if any(parent >= 0 and rank[parent] >= i for i, parent in enumerate(up)):
        chosen = [n for n in tree.order if n in rank]
    return chosen, remarks
