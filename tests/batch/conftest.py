"""A small library of clips in folders, and one cluster that the tests share."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import dask
import pytest
from distributed import LocalCluster, Security

from kinetune.formats import write
from kinetune.samples import sample

RECIPE = "version: 1\nsteps:\n  - op: smooth\n    cutoff_hz: 4\n"
NAMES = ("a/one.bvh", "a/two.bvh", "b/deep/three.bvh", "four.bvh")


@pytest.fixture(scope="package", autouse=True)
def _nothing_is_compiled() -> Iterator[None]:
    """Workers take the NumPy bodies, which give the same bits: clips of a second are not worth compiling for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KINETUNE_COMPILED", "never")
        yield


@pytest.fixture(scope="session")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four clips in a tree, and one file that is none."""
    folder = tmp_path_factory.mktemp("library") / "clips"
    walk = sample("walk")
    for number, name in enumerate(NAMES):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write(walk[20 * number : 20 * number + 60], path)
    (folder / "b" / "broken.bvh").write_text("no motion at all\n")
    return folder


@pytest.fixture(scope="session")
def recipe(clips: Path) -> Path:
    path = clips.parent / "calmer.yaml"
    path.write_text(RECIPE)
    return path


@contextlib.contextmanager
def running_cluster() -> Iterator[LocalCluster]:
    """A real scheduler with two worker processes over TLS; the credentials are where Dask looks for them."""
    security = Security.temporary()
    credentials = {
        "distributed.comm.tls.ca-file": security.tls_ca_file,
        "distributed.comm.tls.client.cert": security.tls_client_cert,
        "distributed.comm.tls.client.key": security.tls_client_key,
    }
    with (
        dask.config.set(credentials),
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
            security=security,
        ) as running,
    ):
        yield running


@pytest.fixture(scope="session")
def cluster() -> Iterator[str]:
    """The address of a cluster that the tests share."""
    with running_cluster() as running:
        yield running.scheduler_address


def tree(folder: Path) -> dict[str, bytes]:
    """Every result in a folder with its bytes; the reports tell times, which differ from run to run."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    names = {path: path.relative_to(folder).as_posix() for path in files}
    return {
        name: path.read_bytes()
        for path, name in names.items()
        if not name.startswith((".kinetune/", "report.")) or name.endswith(".part")
    }
