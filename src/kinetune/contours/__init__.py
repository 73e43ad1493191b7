"""Drawings: contours, descriptors, dynamics, morphs."""
