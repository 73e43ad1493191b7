"""Robots: bodies whose joints are hinges with limits.

==============  ==================================================================================
robot           A robot: skeleton, hinges with limits, masses; poses from joint values and back
hinge_axes      The axes about which joints turn, by the file or by the motion
shapes          What collides: spheres, capsules and boxes; the soles of a robot's feet
hinge_problem   Base and joint values over a whole clip that come closest to what is wanted
onto_hinges     An edited motion brought back to what the hinges of its robot can do
==============  ==================================================================================
"""
