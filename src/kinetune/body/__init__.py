"""Skeletons in motion: clips, kinematics, contacts, measures, mirroring."""
