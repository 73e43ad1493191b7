"""Kinetune beside its peers: every figure is a ratio measured in one interleaved run, on one thread."""
