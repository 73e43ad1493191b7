"""The types of the page are those of the server."""

from tools.page_types import PATH, page_types


def test_the_types_of_the_page_are_written_from_the_models():
    assert PATH.read_text(encoding="utf-8") == page_types(), "Run: python tools/page.py types"
