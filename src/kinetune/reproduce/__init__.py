"""The papers' experiments, figures and tables, run again: :func:`reproduce`. One module for each paper."""

from __future__ import annotations

from kinetune.reproduce.experiments import Context, Experiment, Paper, Picture, Result, Value
from kinetune.reproduce.running import PAPERS, Reproduction, reproduce

__all__ = ["PAPERS", "Context", "Experiment", "Paper", "Picture", "Reproduction", "Result", "Value", "reproduce"]
