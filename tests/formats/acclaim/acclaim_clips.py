"""A small Acclaim figure as text, and where its joints are by the textbook: matrices, written without our reader."""

import math
import re

import numpy as np

from kinetune import rotations as rot
from kinetune.formats.acclaim import amc
from kinetune.formats.format import ReadOptions

ASF = """# a leg and a stump
:version 1.10
:name test
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
  anything # goes ( here
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    id 1
    name hip
    direction 0.6 -0.8 0
    length 2.0
    axis 0 0 0 XYZ
  end
  begin
    id 2
    name femur
    direction 0.34202 -0.939693 0
    length 7.5
    axis 10 -25 20 XYZ
    dof rx ry rz
    limits (-160.0 20.0)
           (-70.0 70.0)
           (-60.0 70.0)
  end
  begin
    id 3
    name tibia
    direction 0.34202 -0.939693 0
    length 7.0
    axis 0 5 20 ZXY
    dof rx
    limits (-10.0 170.0)
    bodymass 3
  end
  begin
    id 4
    name foot
    direction 0 -0.3 0.953939
    length 2.3
    axis -90 0 20 XYZ
    dof rz rx
    limits (-45.0 90.0)
           (-70.0 20.0)
  end
  begin
    id 5
    name stump
    direction 0 1 0
    length 8
    axis 0 0 0 XYZ
    dof rz rx ry
  end
:hierarchy
  begin
    root hip stump
    hip femur
    femur tibia
    tibia foot
  end
"""
AMC = """#!OML:ASF X:\\f\xfcr
:FULLY-SPECIFIED
:DEGREES
1
root 1.5 17.25 -2 10 200 -30
femur 20 -5.5 11.25
tibia 33.5
foot 4 -7.125
stump 1 2 3
2
root 1.6 17.2 -2.1 12 203 -31
femur 21 -5.25 10
tibia -3e-015
foot 4.5 -7
stump 1.5 2.5 3.5
"""


def pair(tmp_path, asf_text=ASF, amc_text=AMC, stem="02_01", skeleton="02"):
    (tmp_path / f"{skeleton}.asf").write_text(asf_text, encoding="utf-8")
    path = tmp_path / f"{stem}.amc"
    path.write_bytes(amc_text.encode("latin-1"))
    return path


def read(path, **options):
    return amc.read(path, ReadOptions(**options))


def write(clip, path):
    for target, data in amc.write(clip, path).items():
        target.write_bytes(data)
    return path


# --- an independent implementation: 4 x 4 matrices, the textbook's L = C M C^-1 B


def turn(axis, degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    m = np.eye(4)
    m[i, i] = m[j, j] = c
    m[j, i], m[i, j] = s, -s
    return m


def shift(vector):
    m = np.eye(4)
    m[:3, 3] = vector
    return m


def textbook_positions(asf_text, amc_text):
    """{bone: (frames, 3)} of the start of every bone, and {bone: ...} of its end, in file units."""
    bones, children = {"root": {"v": np.zeros(3), "axis": np.eye(4)}}, {}
    root_order = re.search(r"order\s+(.*)", asf_text)[1].lower().split()
    bones["root"]["dof"] = root_order
    for block in re.findall(r"begin\s+id(.*?)end", asf_text, re.S):
        name = re.search(r"name (\S+)", block)[1]
        direction = np.array(re.search(r"direction ([-\d.e+ ]+)", block)[1].split(), float)
        length = float(re.search(r"length (\S+)", block)[1])
        x, y, z, order = re.search(r"axis (\S+) (\S+) (\S+)\s+(\w+)", block).groups()
        c = np.eye(4)
        for letter in order.lower():  # about fixed axes: each next one from the left
            c = turn(letter, float({"x": x, "y": y, "z": z}[letter])) @ c
        dof = re.search(r"dof (.*)", block)
        bones[name] = {"v": direction * length, "axis": c, "dof": dof[1].split() if dof else []}
    for line in asf_text[asf_text.index(":hierarchy") :].splitlines()[2:]:
        words = line.split()
        if words and words[0] != "end":
            children[words[0]] = words[1:]
    starts, ends = {name: [] for name in bones}, {name: [] for name in bones}
    frames = re.split(r"\n\d+\n", amc_text.replace("\r", ""))[1:]
    for frame in frames:
        values = {line.split()[0]: [float(v) for v in line.split()[1:]] for line in frame.splitlines()}

        def walk(name, parent, values=values):
            m, t = np.eye(4), np.zeros(3)
            for kind, value in zip(bones[name]["dof"], values.get(name, ()), strict=False):
                if kind[0] == "r":
                    m = turn(kind[1], value) @ m
                else:
                    t["xyz".index(kind[1])] = value
            c = bones[name]["axis"]
            here = parent @ shift(t) @ c @ m @ np.linalg.inv(c)
            starts[name].append(here[:3, 3])
            beyond = here @ shift(bones[name]["v"])
            ends[name].append(beyond[:3, 3])
            for child in children.get(name, ()):
                walk(child, beyond)

        walk("root", np.eye(4))
    return {n: np.array(p) for n, p in starts.items()}, {n: np.array(p) for n, p in ends.items()}


def agree(clip, asf_text, amc_text, unit=0.0254 / 0.45):
    starts, ends = textbook_positions(asf_text, amc_text)
    positions, world = clip.positions(), clip.world_rotations()
    for joint, name in enumerate(clip.skeleton.names):
        assert np.allclose(positions[:, joint], starts[name] * unit, atol=1e-9), name
    for site in clip.skeleton.end_sites:
        tip = positions[:, site.parent] + rot.rotate(world[:, site.parent], np.array(site.offset))
        assert np.allclose(tip, ends[clip.skeleton.names[site.parent]] * unit, atol=1e-9)
