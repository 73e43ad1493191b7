"""Small BVH files for tests, and a slow, plain computation of where their joints are."""

import numpy as np

ROOT = "Xposition Yposition Zposition Zrotation Xrotation Yrotation"
TURN = "Zrotation Xrotation Yrotation"

SMALL = f"""HIERARCHY
ROOT Hips
{{
	OFFSET 0.00 0.00 0.00
	CHANNELS 6 {ROOT}
	JOINT Chest
	{{
		OFFSET 0.00 5.21 0.00
		CHANNELS 3 {TURN}
		End Site
		{{
			OFFSET 0.00 3.87 0.00
		}}
	}}
	JOINT Leg
	{{
		OFFSET 3.91 -8.00 0.00
		CHANNELS 3 {TURN}
		End Site
		{{
			OFFSET 0.00 -4.00 1.00
		}}
	}}
}}
MOTION
Frames: 3
Frame Time: 0.033333
8.03 35.01 88.36 -3.41 14.78 -164.35 13.09 40.30 -24.60 7.88 43.80 0.00
7.81 35.10 86.47 -3.78 12.94 -166.97 12.64 42.57 -22.34 7.67 43.61 0.00
7.60 35.20 84.50 -4.00 11.00 -169.00 12.00 44.00 -20.00 7.50 43.50 -0.00
"""
"""Three joints, twelve channels, three frames."""


def rows(values, decimals=6):
    return "".join(" ".join(f"{v:.{decimals}f}" for v in row) + "\n" for row in values)


def turn_matrix(axis, degrees):
    c, s = np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    m = np.eye(3)
    m[i, i] = m[j, j] = c
    m[i, j], m[j, i] = -s, s
    return m


def plain_world(text):
    """World joint positions (frames, joints, 3) of a well-formed BVH text in its own unit and axes.

    One number at a time, matrices only, position channels replacing offsets: shares nothing with the reader.
    """
    head, _, motion = text.partition("MOTION")
    joints, stack = [], []
    words = head.replace("{", " { ").replace("}", " } ").split()
    at = 0
    while at < len(words):
        word = words[at]
        if word in ("ROOT", "JOINT"):
            end = words.index("{", at)
            joints.append({"parent": stack[-1] if stack else None, "offset": None, "channels": []})
            stack.append(len(joints) - 1)
            at = end + 1
        elif word == "End":
            stack.append(None)
            at = words.index("{", at) + 1
        elif word == "OFFSET":
            if stack[-1] is not None:
                joints[stack[-1]]["offset"] = np.array([float(w) for w in words[at + 1 : at + 4]])
            at += 4
        elif word == "CHANNELS":
            count = int(words[at + 1])
            joints[stack[-1]]["channels"] = [w.lower() for w in words[at + 2 : at + 2 + count]]
            at += 2 + count
        else:
            if word == "}":
                stack.pop()
            at += 1
    width = sum(len(j["channels"]) for j in joints)
    numbers = [float(w) for w in motion.split()[5:]]
    frames = np.array(numbers).reshape(-1, width) if width else np.zeros((1, 0))
    world = np.empty((len(frames), len(joints), 3))
    for f, row in enumerate(frames):
        values = iter(row)
        turned = []
        for j, joint in enumerate(joints):
            place, turn = joint["offset"].copy(), np.eye(3)
            for channel in joint["channels"]:
                value = next(values)
                if channel.endswith("position"):
                    place["xyz".index(channel[0])] = value
                else:
                    turn = turn @ turn_matrix(channel[0], value)
            if joint["parent"] is None:
                world[f, j] = place
            else:
                parent = joint["parent"]
                world[f, j] = world[f, parent] + turned[parent] @ place
                turn = turned[parent] @ turn
            turned.append(turn)
    return world
