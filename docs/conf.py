"""Settings of the documents: Markdown pages by MyST, drawn by Sphinx, without the network."""

import sys
from pathlib import Path

import kinetune

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from recorded import substitutions

HERE = Path(__file__).parent
SCRIPTS = HERE.parent / "benchmarks"
BENCHMARKS, QUALITY = (
    sorted(path.stem.removeprefix(kind) for path in SCRIPTS.glob(f"{kind}*.py")) for kind in ("bench_", "quality_")
)

project = "Kinetune"
copyright = "the Kinetune contributors"
version = release = kinetune.__version__
extensions = ["myst_parser", "mathml", "notebook_pages", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["dollarmath", "deflist", "substitution"]
myst_heading_anchors = 3
html_math_renderer = "mathml"
highlight_language = "none"
html_theme = "furo"
html_title = "Kinetune"
exclude_patterns = ["_build", "_ext", "pictures/*.py", "benchmarks/*.md", "reference/operations/*.md"]
autodoc_typehints = "description"
myst_substitutions = substitutions(HERE / "benchmarks", BENCHMARKS, QUALITY)
