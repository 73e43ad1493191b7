"""Links of a built site that lead nowhere: pages, pictures and headings that are not there.

python docs/_ext/site_links.py [SITE]
"""

from __future__ import annotations

import re
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote


class _Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.links += [link for link in (values.get("href"), values.get("src")) if link]
        self.anchors |= {anchor for anchor in (values.get("id"), values.get("name")) if anchor}


@cache
def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def dead_links(site: Path) -> list[str]:
    """Every link within a site whose page, file or heading is missing, as "PAGE: LINK"; the network is not asked."""
    site = site.resolve()
    dead = []
    for path in sorted(site.rglob("*.html")):
        for link in _read(path).links:
            if re.match(r"[a-z]+:|//", link):
                continue
            file, _, anchor = link.partition("#")
            target = (path.parent / unquote(file.partition("?")[0])).resolve() if file else path
            target = target / "index.html" if target.is_dir() else target
            missing = not target.exists() or (
                anchor and target.suffix == ".html" and unquote(anchor) not in _read(target).anchors
            )
            if missing:
                dead.append(f"{path.relative_to(site).as_posix()}: {link}")
    return dead


if __name__ == "__main__":
    listed = dead_links(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/_build/html"))
    print("\n".join(listed) or "No link is dead.")
    sys.exit(bool(listed))
