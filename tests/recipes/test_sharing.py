"""Tests that share a server or a cluster keep to one worker; see the groups that they name."""

from __future__ import annotations

import pytest


@pytest.mark.xdist_group("sharing")
def test_a_group_keeps_to_one_worker(request: pytest.FixtureRequest) -> None:
    """pytest-xdist 3.8 writes the group behind the name of a test, which pytest 9.2 no longer lets it do."""
    if not getattr(request.config.option, "loadgroup", False):
        pytest.skip("only a run that is shared by groups can tell: make test")
    assert request.node.nodeid.endswith("@sharing")
