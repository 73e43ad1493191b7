"""A humanoid robot as MJCF, for tests and for the commands of the documents."""

LEG = """<body name="{s}_hip_pitch_link" pos="0 {y} 0"><inertial mass="1" pos="0 0 0" diaginertia=".01 .01 .01"/>
<joint name="{s}_hip_pitch" axis="0 1 0" range="-2 2"/>
<body name="{s}_hip_roll_link" pos="0 0 -.03"><inertial mass="1" pos="0 0 0" diaginertia=".01 .01 .01"/>
<joint name="{s}_hip_roll" axis="1 0 0" range="-.6 .6"/>
<body name="{s}_hip_yaw_link" pos=".01 0 -.05"><inertial mass="1" pos="0 0 0" diaginertia=".01 .01 .01"/>
<joint name="{s}_hip_yaw" axis="0 0 1" range="-1 1"/>
<body name="{s}_knee_link" pos="-.01 0 -.22"><inertial mass="1" pos="0 0 0" diaginertia=".01 .01 .01"/>
<joint name="{s}_knee" axis="0 1 0" range="0 2.4"/>
<body name="{s}_ankle_pitch_link" pos="0 0 -.3"><inertial mass="1" pos="0 0 0" diaginertia=".01 .01 .01"/>
<joint name="{s}_ankle_pitch" axis="0 1 0" range="-.8 .6"/>
<body name="{s}_ankle_roll_link" pos="0 0 -.02"><joint name="{s}_ankle_roll" axis="1 0 0" range="-.4 .4"/>
<geom type="box" pos=".03 0 -.03" size=".09 .03 .01" mass="1"/></body></body></body></body></body></body>"""
ARM = """<body name="{s}_shoulder_pitch_link" pos="0 {y} .3"><inertial mass="1" pos="0 0 0" diaginertia=".01 .01 .01"/>
<joint name="{s}_shoulder_pitch" axis="0 1 0" range="-3 3"/>
<body name="{s}_shoulder_roll_link"><inertial mass="1" pos="0 0 0" diaginertia=".01 .01 .01"/>
<joint name="{s}_shoulder_roll" axis="1 0 0" range="-2 2"/>
<body name="{s}_shoulder_yaw_link" pos="0 0 -.05"><inertial mass="1" pos="0 0 0" diaginertia=".01 .01 .01"/>
<joint name="{s}_shoulder_yaw" axis="0 0 1" range="-2 2"/>
<body name="{s}_elbow_link" pos="0 0 -.15"><inertial mass="1" pos="0 0 0" diaginertia=".01 .01 .01"/>
<joint name="{s}_elbow" axis="0 1 0" range="-2.2 0"/>
<body name="{s}_wrist_yaw_link" pos="0 0 -.2"><joint name="{s}_wrist" axis="0 0 1" range="-2 2"/>
<geom type="capsule" fromto="0 0 0 0 0 -.08" size=".02" mass=".3"/></body></body></body></body></body>"""


def robot_text():
    """A small humanoid of hinges; its hip axes do not meet where its last hip link is."""
    legs = "".join(LEG.format(s=s, y=y) for s, y in (("left", 0.1), ("right", -0.1)))
    arms = "".join(ARM.format(s=s, y=y) for s, y in (("left", 0.17), ("right", -0.17)))
    return f"""<mujoco model="small"><compiler angle="radian"/><worldbody><body name="pelvis" pos="0 0 .8"><freejoint/>
    <inertial mass="5" pos="0 0 0" diaginertia=".1 .1 .1"/>{legs}<body name="torso_link" pos="0 0 .05">
    <inertial mass="8" pos="0 0 .1" diaginertia=".1 .1 .1"/><joint name="waist" axis="0 0 1" range="-2 2"/>{arms}
    </body></body></worldbody></mujoco>"""
