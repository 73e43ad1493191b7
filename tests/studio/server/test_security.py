"""Intruders: other users, other hosts, other origins, no token."""

import json
import os
import re
import socket
import time
import warnings
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

import kinetune as kt
from kinetune.signals.shaping.curve_files import save_curve
from kinetune.studio.server._head_timeout import TimedHeads
from kinetune.studio.server.launch import served, show_page
from tests.made_up import SMALL_BVH
from tests.studio.client import Http, Tab

ROUTES = ("/", "/api/hello", "/api/operations", "/index.html", "/api/exports/a/b.bvh", "/nothing")


def knock(http, origin, headers):
    """Open a socket and close it again."""
    with connect(f"ws://127.0.0.1:{http.port}/ws", origin=origin, additional_headers=headers):
        pass


@pytest.fixture
def stranger(serving):
    """Somebody on this machine without the token."""
    return Http(serving.port)


@pytest.mark.parametrize("path", ROUTES)
def test_without_the_token_there_is_nothing_to_see(stranger, path):
    status, headers, body = stranger.get(path)
    assert status == 403
    assert b"token" in body
    assert "set-cookie" not in headers


@pytest.mark.parametrize("given", ["wrong", "", "é", "x" * 5000])
def test_a_wrong_token_opens_nothing(stranger, given):
    from urllib.parse import quote

    assert stranger.get(f"/?token={quote(given)}")[0] == 403


def test_the_token_opens_the_page_once_and_leaves_the_address(serving, stranger):
    token = serving.tokens.new()
    status, headers, _ = stranger.get(f"/?token={token}&lite")
    assert status == 303
    assert headers["location"] == "/?lite"
    assert "HttpOnly" in headers["set-cookie"]
    assert "samesite=strict" in headers["set-cookie"].lower()
    assert token not in headers["set-cookie"], "the cookie is not the token"
    status, headers, body = stranger.get(f"/?token={token}&lite")
    assert (status, headers.get("set-cookie")) == (403, None), "a second use is refused"
    assert b"opens the studio once" in body


def test_the_same_browser_goes_on_with_its_cookie(serving, http):
    token = serving.tokens.new()
    for _ in range(2):  # a reload, or the address opened again in a second tab
        status, headers, _ = http.get(f"/?token={token}")
        assert (status, headers["location"]) == (303, "/")
    assert http.get("/")[0] == 200
    assert Http(serving.port).get(f"/?token={token}")[0] == 403, "whoever finds the address later"


def test_a_page_that_leads_here_is_led_on_by_a_page_of_ours(serving, stranger):
    """Browsers hold a strict cookie back as long as another page, our file, is where the user came from."""
    status, headers, body = stranger.get(f"/?token={serving.tokens.new()}&lite&q=%22%3E", sec_fetch_site="cross-site")
    assert status == 200
    assert "set-cookie" in headers
    assert b'url=/?lite&amp;q=%22%3E"' in body


@pytest.mark.parametrize("path", ["//evil.example/", "/%2F/evil.example/", "/\\evil.example/", "//evil.example"])
def test_nobody_is_led_elsewhere(serving, http, stranger, path):
    for who in (http, stranger):
        status, headers, _ = who.get(f"{path}?token={serving.tokens.new()}")
        assert status in (400, 403, 404)
        assert "location" not in headers


def test_the_browser_is_started_without_the_token(tmp_path, monkeypatch):
    """Its command line is there for everybody to read: it names a file that only the user can."""
    started = []
    monkeypatch.setattr("webbrowser.open", started.append)
    with served(tmp_path) as serving:
        show_page(serving)
        (address,) = started
        path = Path(url2pathname(urlsplit(address).path))
        assert urlsplit(address).scheme == "file"
        assert path.stat().st_mode & 0o077 == 0
        token = re.search(r"token=([\w-]+)", path.read_text())[1]
        assert token not in address
        assert Http(serving.port).get(f"/?token={token}")[0] == 303
        assert not path.exists(), "it goes when the page has been opened"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can become another user")
def test_another_user_reads_nothing_of_the_studio(tmp_path, monkeypatch):
    """Documents, uploads, exports, and the file that leads to the page."""
    monkeypatch.setattr("webbrowser.open", lambda address: None)
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "old.json").write_text("{}")  # as an earlier version left it
    with served(tmp_path) as serving:
        http = Http(serving.port, serving.tokens.new())
        http.post("/api/uploads?name=a.bvh", SMALL_BVH.encode())
        with Tab(http) as tab:
            doc = tab.new({"sample": "wave"})
            job = tab.ask("export", doc=doc, format=".amc")["job"]
            tab.wait(lambda a: a["type"] == "job" and a["job"] == job and a["state"] == "done")
        show_page(serving)
        serving.studio.library.autosave.close()
        for folder in (tmp_path, *list(tmp_path.parents)[:-2]):
            folder.chmod(0o755)  # nothing above protects it
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        kinds = {path.relative_to(tmp_path).parts[0].partition("-")[0] for path in files}
        assert kinds == {"documents", "uploads", "exports", "open", "studio.lock"}
        assert [path for path in files if path.stat().st_mode & 0o077] == []
        assert [path for path in tmp_path.iterdir() if path.is_dir() and path.stat().st_mode & 0o077] == []
        assert _as_nobody(lambda: [path for path in files if _readable(path)]) == "[]"


def _readable(path):
    try:
        return bool(path.read_bytes() or True)
    except PermissionError:
        return False


def _as_nobody(work):
    """What another user of the machine gets from it, as text."""
    inside, outside = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that threads stay behind: the child needs none of them
        child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
        os.write(outside, repr(work()).encode())
        os._exit(0)
    os.close(outside)
    os.waitpid(child, 0)
    with os.fdopen(inside) as answer:
        return answer.read()


def test_a_request_that_does_not_come_to_an_end_is_closed(serving, http, monkeypatch):
    monkeypatch.setattr(TimedHeads, "head_timeout_s", 0.2)
    for begun in (b"", b"GET /api/hello HTTP/1.1\r\nhost: 127.0.0.1\r\nx: "):
        with socket.create_connection(("127.0.0.1", serving.port), timeout=20) as door:
            door.sendall(begun)
            assert door.recv(1000) == b""
    head = f"POST /api/uploads?name=b.bvh HTTP/1.1\r\nhost: 127.0.0.1:{http.port}\r\norigin: {http.origin}\r\n"
    head += f"cookie: {http.cookie}\r\ncontent-length: 4\r\n\r\n"
    with socket.create_connection(("127.0.0.1", serving.port), timeout=20) as door:
        door.sendall(head.encode() + b"ab")
        time.sleep(0.5)  # a body may take its time
        door.sendall(b"cd")
        assert door.recv(1000).startswith(b"HTTP/1.1 200")


def test_the_token_is_of_no_use_elsewhere(serving, stranger):
    assert stranger.get(f"/api/hello?token={serving.tokens.new()}")[0] == 403


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "[::1]", "127.0.0.2"])
def test_another_host_is_refused(http, host):
    assert http.get("/api/hello", host=host)[0] == 400
    assert http.get("/api/hello", host=f"{host}:{http.port}")[0] == 400


@pytest.mark.parametrize("port", ["", ":", ":1", ":80", ":{}0", ":{}@evil.example"])
def test_another_port_is_refused(http, port):
    assert http.get("/api/hello", host="127.0.0.1" + port.format(http.port))[0] == 400


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_our_names_are_served(http, host):
    assert http.get("/api/hello", host=f"{host}:{http.port}")[0] == 200


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "https://127.0.0.1", "http://127.0.0.1:1"])
def test_posts_from_other_pages_are_refused(http, origin):
    assert http.post("/api/uploads?name=a.bvh", b"x", origin=origin)[0] == 403


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS"])
def test_other_methods_are_refused(http, method):
    assert http.request(method, "/api/hello", None, {"origin": http.origin})[0] in (403, 405)


@pytest.mark.parametrize("origin", [None, "http://evil.example", "http://localhost:1"])
def test_sockets_from_other_pages_are_refused(http, origin):
    with pytest.raises(InvalidStatus):
        knock(http, origin, {"cookie": http.cookie})


@pytest.mark.parametrize("cookie", [None, "kinetune-1=x", "%%%"])
def test_sockets_without_the_cookie_are_refused(http, cookie):
    headers = {} if cookie is None else {"cookie": cookie}
    with pytest.raises(InvalidStatus):
        knock(http, http.origin, headers)


def test_a_socket_for_another_host_is_refused(http):
    headers = {"cookie": http.cookie, "host": "evil.example"}
    with pytest.raises(InvalidStatus):
        knock(http, http.origin, headers)


def test_pages_carry_a_policy_and_a_fresh_nonce(http):
    policies = [http.get("/")[1]["content-security-policy"] for _ in range(2)]
    assert policies[0] != policies[1]
    assert "default-src 'none'" in policies[0]
    assert "unsafe-eval" not in policies[0]
    assert "frame-ancestors 'none'" in policies[0]
    assert http.get("/api/hello")[1]["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["/../app.py", "/%2e%2e/app.py", "/vendor/../../app.py", "//etc/passwd"])
def test_files_outside_the_page_are_not_served(http, path):
    assert http.get(path)[0] in (400, 404)


@pytest.mark.parametrize("path", ["%2e%2e/studio.lock", "%2e/x", "..%2f/studio.lock", "%2e%2e/documents"])
def test_exports_lead_to_no_other_file(http, path):
    assert http.get(f"/api/exports/{path}")[0] == 404


@pytest.mark.parametrize("path", ["/etc/passwd", "../../../etc/passwd", "/", "a\u0000b"])
def test_files_outside_the_folder_are_not_opened(tab, path):
    assert tab.refused("new", source={"path": path})["code"] in ("refused", "file")
    assert tab.refused("folder", path=path)["code"] in ("refused", "file")


def test_a_link_that_leads_out_of_the_folder_is_not_followed(tab, folder, tmp_path):
    outside = tmp_path / "secret.bvh"
    outside.write_text("HIERARCHY")
    (folder / "link.bvh").symlink_to(outside)
    assert tab.refused("new", source={"path": "link.bvh"})["code"] == "refused"


@pytest.mark.parametrize("path", ["/tmp/x.yaml", "../x.yaml"])
def test_recipes_are_not_saved_outside_the_folder(tab, path):
    doc = tab.new()
    assert tab.refused("save", doc=doc, path=path)["code"] == "refused"


@pytest.fixture
def outside(tmp_path):
    """A motion and a file of curves that the studio was not started on."""
    kt.write(kt.sample("wave"), tmp_path / "secret.bvh")
    save_curve(tmp_path / "secret.json", "mine", kt.ShapingCurve.cap())
    return tmp_path


@pytest.mark.parametrize("way", ["absolute", "relative", "link"])
def test_a_recipe_names_no_file_outside_the_folder(tab, folder, outside, way):
    (folder / "out").unlink(missing_ok=True)
    (folder / "out").symlink_to(outside)
    path = {
        "absolute": outside / "secret.bvh",
        "relative": Path(os.path.relpath(outside / "secret.bvh", folder)),
        "link": Path("out/secret.bvh"),
    }[way]
    text = f"inputs: {{other: {json.dumps(str(path))}}}\nsteps: [{{op: blend, other: other}}]\n"
    (folder / "stranger.yaml").write_text(text)
    doc = tab.new()
    for error in (
        tab.refused("recipe.set", doc=doc, text=text),
        tab.refused("recipe.set", doc=doc, source={"path": "stranger.yaml"}),
        tab.refused("new", source={"path": "stranger.yaml"}),
    ):
        assert (error["code"], "outside the folder" in error["message"]) == ("refused", True)
    kt.write(kt.sample("wave"), folder / "own.bvh")
    tab.ask("recipe.set", doc=doc, text="inputs: {other: own.bvh}\nsteps: [{op: blend, other: other}]\n")


def test_a_step_names_no_file_of_curves_outside_the_folder(tab, folder, outside):
    doc, knobs = tab.new(), {"curve": "mine", "library": str(outside / "secret.json")}
    text = f"steps: [{{op: shape, curve: mine, library: {json.dumps(knobs['library'])}}}]\n"
    step = tab.ask("step.add", doc=doc, op="shape")["step"]
    for error in (
        tab.refused("step.add", doc=doc, op="shape", knobs=knobs),
        tab.refused("step.set", doc=doc, step=step, knobs=knobs),
        tab.refused("recipe.set", doc=doc, text=text),
    ):
        assert "outside the folders" in error["message"], error
    save_curve(folder / "own.json", "mine", kt.ShapingCurve.cap())
    tab.ask("step.set", doc=doc, step=step, knobs={"curve": "mine", "library": str(folder / "own.json")})


@pytest.mark.skipif(os.name != "posix", reason="needs pipes with a name")
@pytest.mark.parametrize("name", ["pipe.bvh", "pipe.yaml", "pipe.svg", "pipe.json"])
def test_a_pipe_freezes_no_tab(tab, folder, name):
    path = folder / name
    if not path.exists():
        os.mkfifo(path)
    try:
        assert tab.refused("new", source={"path": name})["code"] == "file"
        doc = tab.new()
        assert tab.refused("recipe.set", doc=doc, source={"path": name})["code"] == "file"
        assert tab.refused("source.set", doc=doc, source={"path": name})["code"] == "file"
        knobs = {"curve": "mine", "library": str(path)}
        assert tab.refused("step.add", doc=doc, op="shape", knobs=knobs)["code"] == "file"
    finally:
        path.unlink()
