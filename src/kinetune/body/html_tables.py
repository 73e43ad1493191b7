"""Small HTML tables, as notebooks show values."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape


def html_table(title: str, rows: Mapping[str, str]) -> str:
    """A table of two columns with a title; texts are escaped."""
    lines = "".join(
        f'<tr><th style="text-align:left">{escape(name)}</th><td style="text-align:left">{escape(text)}</td></tr>'
        for name, text in rows.items()
    )
    return f"<table><caption>{escape(title)}</caption>{lines}</table>"
