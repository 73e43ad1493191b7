"""One studio for most tests; each test works on documents of its own."""

from pathlib import Path

import pytest

from kinetune.studio.server.launch import served
from tests.studio.client import Http, Tab

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)  # before the groups are read
def pytest_collection_modifyitems(items):
    """Those that share a studio keep to one worker, so that it is started once."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.xdist_group("served"))


@pytest.fixture(scope="package")
def serving(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clips")
    with served(tmp_path_factory.mktemp("data"), folder) as one:
        yield one


@pytest.fixture(scope="package")
def http(serving):
    return Http(serving.port, serving.tokens.new())


@pytest.fixture
def tab(http):
    with Tab(http) as one:
        yield one


@pytest.fixture
def folder(serving):
    """The folder that the studio was started on."""
    return serving.studio.origins.folder
