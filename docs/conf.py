"""Settings of the documents: Markdown pages by MyST, drawn by Sphinx, without the network."""

import sys
from pathlib import Path

import kinetune

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from page_blocks import toctrees

project = "Kinetune"
copyright = "the Kinetune contributors"
version = release = kinetune.__version__
extensions = ["myst_parser", "mathml", "notebook_pages", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
html_math_renderer = "mathml"
highlight_language = "none"
html_theme = "furo"  # searches without a server; follows the reader's light or dark setting
html_title = f"Kinetune {version}"
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/versions.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
templates_path = ["_templates"]
exclude_patterns = ["_build", "_ext", "_templates", "pictures/*.py", "benchmarks/claims.md", "benchmarks/growth.md"]
autodoc_typehints = "description"
REPORT_FOLDER = Path(__file__).parent / "_build" / "report"
html_extra_path = ["_build/report"] if REPORT_FOLDER.exists() else []

REFERENCE = """
```{toctree}
:hidden:
:caption: From the code

reference/parameters
reference/api
```
"""
"""The pages that a build writes are in the menu only."""


REPORT = """
## The complete report

<a href="report.html">Every figure and every value</a>, written by
`kinetune reproduce --quick` when this site was built.
"""


def _read(app, page: str, source: list[str]) -> None:
    more = {"index": REFERENCE, "reproduction": REPORT if REPORT_FOLDER.exists() else ""}
    source[0] = toctrees(source[0]) + more.get(page, "")


def setup(app) -> None:
    app.connect("source-read", _read)
