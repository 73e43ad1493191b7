"""Mathematics in the pages as MathML, which browsers draw by themselves: no script, no network."""

from __future__ import annotations

from latex2mathml.converter import convert
from sphinx.application import Sphinx


def _inline(translator, node) -> None:
    translator.body.append(convert(node.astext()))
    raise _skip()


def _block(translator, node) -> None:
    translator.body.append(f'<div class="math">{convert(node.astext(), display="block")}</div>')
    raise _skip()


def _skip() -> Exception:
    from docutils.nodes import SkipNode

    return SkipNode()


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
