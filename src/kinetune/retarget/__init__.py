"""Any motion on any body: a clip of one skeleton on another one.

==================  =================================================================================
retargeting         :func:`~kinetune.retarget.retargeting.retarget`, the whole way from clip to clip
bone_map            which joint of the one stands for which of the other; read and written as YAML
physique            a character as an anatomist sees it: frames of its segments, lengths, soles
fingers             the joints of fingers by what they are, across naming schemes
transfer            stage one: orientations of segments carried over in closed form
footprints          where the feet stand on the other body, and how they swing between
arm_fit             hands near each other, near the head, or at places in the world
retarget_report     what was matched, and how well the result stands
leg_fit             stage two for characters: pelvis and legs over the whole clip at once
hinges              robots as an anatomist sees them: several hinges make one joint
robot_fit           stage two for robots: base and hinges over the whole clip, within their limits
robot_report        how well a robot performs a motion
==================  =================================================================================

Stage one gives a :class:`~kinetune.retarget.transfer.Transfer`, which every solver of stage two takes:

``source``, ``target``
    The two bodies (:class:`~kinetune.retarget.physique.Physique`).
``fps``, ``scale``
    Frames a second; target leg over source leg, by which lengths in the world are multiplied.
``orientations``
    Role to the wanted world rotation (frames, 4) of the *joint* of the target that has this role.
``directions``
    Role to the unit vector (frames, 3) along its segment, from its joint towards the next.
``points``
    Role to the key point (frames, 3): where the centre of that joint belongs, built from the wanted orientations and
    the target's own lengths, so that nothing is out of reach by proportion.
``root``, ``rotations``
    The pose in closed form, for joints that turn freely: root (frames, 3), local rotations (frames, joints, 4).
``feet``
    For each foot a :class:`~kinetune.retarget.footprints.FootCourse`: ``standing`` (frames, points) says which point of
    the sole stands, ``goals`` (frames, points, 3) where each point goes (exactly one place for each stance, led over
    the swings between), ``heights`` (frames,) the ground under it, ``ankle`` (frames, 3) and ``rotation`` (frames, 4)
    the same for the foot as a whole.

The floor of the result is level at Y = 0; platforms and stairs keep their scaled heights. Everything is in metres, Y
up, quaternions wxyz.
"""
