"""Inverse blending: clips that hit targets exactly."""
