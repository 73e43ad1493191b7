"""Whole libraries of clips at once."""
