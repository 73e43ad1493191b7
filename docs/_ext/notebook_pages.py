"""Notebooks as pages: text stays text, cells become code, and outputs are shown as they were saved."""

from __future__ import annotations

import json

from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx


def page_of(notebook: str) -> str:
    """The Markdown of a notebook."""
    parts = []
    for cell in json.loads(notebook)["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        parts += [_output(output) for output in cell.get("outputs", ())]
    return "\n\n".join(parts) + "\n"


def _output(output: dict) -> str:
    if output["output_type"] == "stream":
        return f"```text\n{''.join(output['text'])}```"
    data = output["data"]
    if "text/html" in data:
        return f"```{{raw}} html\n{''.join(data['text/html'])}\n```"
    if "image/png" in data:
        return f'```{{raw}} html\n<img alt="" src="data:image/png;base64,{data["image/png"]}">\n```'
    return f"```text\n{''.join(data['text/plain'])}\n```"


class NotebookParser(MystParser):
    """Reads notebooks as pages of Markdown."""

    supported = ("ipynb",)

    def parse(self, inputstring: str, document: object) -> None:
        super().parse(page_of(inputstring), document)


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_source_suffix(".ipynb", "ipynb")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": True}
