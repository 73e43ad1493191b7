"""One studio for most tests; each test works on documents of its own."""

import pytest

from kinetune.studio.launch import served
from tests.studio.client import Http, Tab


@pytest.fixture(scope="package")
def serving(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clips")
    with served(tmp_path_factory.mktemp("data"), folder) as one:
        yield one


@pytest.fixture(scope="package")
def http(serving):
    return Http(serving.port, serving.token)


@pytest.fixture
def tab(http):
    with Tab(http) as one:
        yield one


@pytest.fixture
def folder(serving):
    """The folder that the studio was started on."""
    return serving.studio.origins.folder
