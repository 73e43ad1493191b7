"""Intruders: other hosts, other origins, no token."""

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.studio.client import Http

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
    status, headers, _ = stranger.get(f"/?token={serving.token}&lite")
    assert status == 303
    assert headers["location"] == "/?lite"
    assert "HttpOnly" in headers["set-cookie"]
    assert "samesite=strict" in headers["set-cookie"].lower()


def test_the_token_is_of_no_use_elsewhere(serving, stranger):
    assert stranger.get(f"/api/hello?token={serving.token}")[0] == 403


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "[::1]", "127.0.0.2"])
def test_another_host_is_refused(http, host):
    assert http.get("/api/hello", host=host)[0] == 400


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
