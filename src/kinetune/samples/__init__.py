"""Clips, example sets and drawings that ship with Kinetune, authored by our own code."""
