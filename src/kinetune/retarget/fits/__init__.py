"""Stage two of retargeting: what transfer leaves, solved over the whole clip at once.

==========  ===============================================================================
leg_fit     characters: pelvis and legs
arm_fit     hands near each other, near the head, or at places in the world
robot_fit   robots: base and hinges, within their limits
hinges      robots as an anatomist sees them: several hinges make one joint
==========  ===============================================================================
"""
