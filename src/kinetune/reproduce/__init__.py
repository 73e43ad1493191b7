"""The papers' experiments, re-run."""
