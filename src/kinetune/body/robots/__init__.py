"""Robots: bodies whose joints are hinges with limits.

======  ==================================================================================
robot   A robot: skeleton, hinges with limits, masses; poses from joint values and back
shapes  What collides: spheres, capsules and boxes; the soles of a robot's feet
======  ==================================================================================
"""
