"""Who is not the user's own page is refused, and harms nothing: over raw sockets, as an attacker would."""

from __future__ import annotations

import contextlib
import gzip
import http.client
import json
import resource
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.web.browser import Page
from truetty.web import documents

EVIL_HOSTS = (
    "evil.example",
    "127.0.0.1",
    "127.0.0.1:1",
    "127.0.0.1.evil:{port}",
    "evil@127.0.0.1:{port}",
    "localhost.:{port}",
    "127.1:{port}",
    "0.0.0.0:{port}",
    "",
)
EVIL_ORIGINS = (
    "http://evil.example",
    "null",
    "{url}.evil",
    "{url}1",
    "{url}/",
    "http://127.0.0.1",
    "http://127.0.0.1:1",
    "https://127.0.0.1:{port}",
    "http://localhost:{port}",  # another name of this machine is another origin
    "file://",
    "",
)


def open_terminal(page: Page) -> str:
    return str(page.server.post("/v1/terminals", shell="bash", rc=False)["id"])


@pytest.fixture
def view(page: Page) -> str:
    return f"/v1/terminals/{open_terminal(page)}/view"


def test_another_host_is_refused_everywhere(page: Page, view: str) -> None:
    login = page.login()
    for evil in EVIL_HOSTS:
        headers = {"Host": evil.format(port=page.port), "Origin": None}
        for method, path in (("GET", "/"), ("GET", "/static/main.js"), ("GET", "/v1/terminals")):
            assert page.ask(method, path, login=login, headers=headers).status == 421, evil
        assert page.try_login("x", headers).status == 421, evil
        assert page.upgrade(view, login, headers={"Host": headers["Host"]}).status == 403, evil
    assert page.ask("GET", "/", headers={"Host": None}).status in (400, 421)
    twice = {"Host": f"{page.host}\r\nHost: evil"}
    assert page.ask("GET", "/", headers=twice).status in (400, 421)


def test_another_origin_is_refused_everywhere(page: Page, view: str) -> None:
    login = page.login()
    for form in EVIL_ORIGINS:
        evil = {"Origin": form.format(url=page.url, port=page.port)}
        assert page.ask("POST", "/v1/commands", {"command": "touch x"}, login, evil).status == 403, evil
        assert page.ask("GET", "/v1/terminals", login=login, headers=evil).status == 403, evil
        assert page.try_login("x", evil).status == 403, evil
        for path in (view, "/v1/events", "/v1/connect", "/v1/mcp"):
            assert page.upgrade(path, login, headers=evil).status == 403, evil
    twice = {"Origin": f"{page.url}\r\nOrigin: http://evil.example"}
    assert page.upgrade(view, login, headers=twice).status in (400, 403)


def test_an_upgrade_without_an_origin_is_refused(page: Page, view: str) -> None:
    login = page.login()
    for path in (view, "/v1/events"):
        assert page.upgrade(path, login, headers={"Origin": None}).status == 403


def test_what_a_browser_says_comes_from_elsewhere_is_refused(page: Page, view: str) -> None:
    login = page.login()
    for site in ("cross-site", "same-site"):
        foreign = {"Sec-Fetch-Site": site}
        assert page.ask("GET", "/v1/terminals", login=login, headers=foreign).status == 403
        assert page.upgrade(view, login, headers=foreign).status == 403
    # A link from elsewhere, the private file of `open --web` among them, may lead to the document.
    assert page.ask("GET", "/", headers={"Sec-Fetch-Site": "cross-site"}).status != 403
    assert page.ask("GET", "/v1/terminals", login=login, headers={"Sec-Fetch-Site": "same-origin"}).status == 200


def test_a_form_of_another_site_changes_nothing(page: Page) -> None:
    login = page.login()
    for kind in ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", None):
        for origin in ("http://evil.example", None):
            headers = {"Content-Type": kind, "Origin": origin, "Truetty-Client": None, "Truetty-Key": None}
            reply = page.ask("POST", "/v1/terminals", b'{"shell": "bash"}', login, headers)
            assert reply.status in (400, 403), (kind, origin)
        keyed = page.ask("POST", "/v1/terminals", b'{"shell": "bash"}', login, {"Content-Type": kind})
        assert keyed.code == "misuse"
    assert page.server.get("/v1/terminals")["terminals"] == []


def test_no_other_site_is_allowed_to_read(page: Page) -> None:
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "truetty-key"}
    for origin in (page.url, "http://evil.example"):
        reply = page.ask("OPTIONS", "/v1/terminals", headers={**asked, "Origin": origin})
        assert reply.status >= 400
        assert not [name for name in reply.headers if name.lower().startswith("access-control")]


def test_a_login_needs_a_header_that_no_form_sends(page: Page) -> None:
    ticket = page.ticket()
    assert page.try_login(ticket, {"Truetty-Client": None}).code == "misuse"
    assert page.try_login(ticket, {"Content-Type": "text/plain"}).code == "misuse"
    assert page.try_login(ticket).status == 200  # a refused call has used nothing


def test_a_ticket_is_good_once_and_wrong_ones_are_bounded(page: Page) -> None:
    ticket = page.ticket()
    assert page.try_login(ticket).status == 200
    seen = [page.try_login(ticket) for _ in range(11)]
    assert [one.code for one in seen] == ["no_ticket"] * 10 + ["limit_reached"]
    assert [one.status for one in seen] == [401] * 10 + [429]
    assert not any("set-cookie" in one.headers for one in seen)
    assert page.login().key  # its owner gets in


def test_a_ticket_in_the_url_is_no_login(page: Page) -> None:
    ticket = page.ticket()
    for path in (f"/?ticket={ticket}", f"/v1/terminals?ticket={ticket}", f"/{ticket}"):
        assert "set-cookie" not in page.ask("GET", path).headers
    assert page.ask("POST", f"/v1/web/login?ticket={ticket}", {}).code == "misuse"


def test_neither_secret_is_enough(page: Page, view: str) -> None:
    login, other = page.login(), page.login()
    name, _, value = login.cookie.partition("=")
    wrong: list[dict[str, str | None]] = [
        {"Truetty-Key": None},
        {"Truetty-Key": ""},
        {"Truetty-Key": other.key},
        {"Truetty-Key": login.key[:-1]},
        {"Truetty-Key": f"{login.key}\r\nTruetty-Key: {login.key}"},
        {"Truetty-Key": value, "Cookie": f"{name}={login.key}"},
        {"Cookie": None},
        {"Cookie": f"{name}="},
        {"Cookie": f"{name}x={value}"},
        {"Cookie": other.cookie},
        {"Cookie": '="; broken'},
        {"Cookie": None, "Truetty-Key": None, "Authorization": f"Bearer {login.key}"},
    ]
    for headers in wrong:
        for path in ("/v1/terminals", "/v1/web/session", "/v1/openapi.json", "/v1/nothing", "/v1/events"):
            reply = page.ask("GET", path, login=login, headers=headers)
            assert reply.status == 401, (headers, path)
        for method, path in (("POST", "/v1/terminals"), ("POST", "/v1/web/logout"), ("POST", "/v1/stop")):
            assert page.ask(method, path, {}, login, headers).status == 401, (headers, path)
    offered = f"truetty.view.1, key.{login.key}"
    for more in (
        {"Cookie": None},
        {"Cookie": other.cookie},
        {"Sec-WebSocket-Protocol": "truetty.view.1"},
        {"Sec-WebSocket-Protocol": f"truetty.view.1, key.{other.key}"},
        {"Sec-WebSocket-Protocol": f"{offered}, key.{login.key}"},
        {"Sec-WebSocket-Protocol": "truetty.view.1", "Truetty-Key": login.key},
    ):
        assert page.upgrade(view, login, headers=more).status == 403, more
    assert page.upgrade(f"{view}?key={login.key}", login, headers={"Sec-WebSocket-Protocol": "x"}).status == 403
    assert page.ask("GET", "/v1/terminals", login=login).status == 200


PATHS = (
    "/static/../gate.py",
    "/static/%2e%2e/gate.py",
    "/static/..%2fgate.py",
    "/static/..%5cgate.py",
    "/static//etc/passwd",
    "/static/%2fetc%2fpasswd",
    "/static/%00",
    "/static/",
    "/static",
    "/static/main.js%00.svg",
    "/../../etc/passwd",
    "/t/../../etc/passwd",
    "/t/",
    "/t/a/b",
    "/history/..",
    "//v1/terminals",
    "/V1/terminals",
    "/v1",
    "/mcp/../v1/terminals",
    "/%76%31",
)


def test_no_path_leads_to_a_file_or_past_the_login(page: Page) -> None:
    for path in PATHS:
        reply = page.ask("GET", path)
        assert reply.status in (401, 404), (path, reply.status)
        assert b"root:" not in reply.body and b"import" not in reply.body
    for path in ("/%76%31/terminals", "/v1/../v1/terminals", "/v1/terminals/..%2f..%2fetc%2fpasswd"):
        assert page.ask("GET", path).status == 401
    login = page.login()
    for id in ("..%2f..%2fetc%2fpasswd", "%2e%2e", "t1%00", "%ff%fe", "x" * 3000):
        for path in (f"/v1/terminals/{id}", f"/v1/commands/{id}/text", f"/v1/terminals/{id}/transcript"):
            assert page.ask("GET", path, login=login).status in (400, 404), path
        assert page.upgrade(f"/v1/terminals/{id}/view", login).status == 403
    absolute = page.ask("GET", "http://evil.example/v1/terminals")
    assert absolute.status in (400, 401, 404)


def test_other_methods_are_refused_at_documents(page: Page) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND"):
        assert page.ask(method, "/").status in (400, 405), method


def test_too_much_is_refused_before_it_is_read(page: Page) -> None:
    login = page.login()
    assert page.ask("POST", "/v1/web/login", b'"' + b"x" * 5000 + b'"').code == "too_large"
    lying = {"Content-Length": str(1 << 40)}
    assert page.ask("POST", "/v1/web/login", b"{}", headers=lying).code == "too_large"
    assert page.ask("POST", "/v1/terminals", b"{}", login, lying).code == "too_large"
    chunked = {"Content-Length": None, "Transfer-Encoding": "chunked"}
    assert page.ask("POST", "/v1/web/login", b"0\r\n\r\n", headers=chunked).code == "too_large"
    assert page.ask("GET", f"/v1/terminals?task={'x' * 5000}", login=login).code == "too_large"
    with contextlib.suppress(ConnectionResetError):  # it may be closed before all was sent
        assert page.ask("GET", "/", headers={"X": "y" * 200_000}).status in (400, 431)
    for body in (b"[", b"[" * 3000, b"\xff", b"null", b'{"ticket": 7}', b'{"ticket": NaN}', b""):
        assert page.ask("POST", "/v1/web/login", body).code == "misuse", body


def test_frames_that_are_too_large_or_wrong_end_the_view_alone(page: Page, view: str) -> None:
    login = page.login()

    def closed_by(data: str | bytes, **how: Any) -> int | None:
        viewer = page.upgrade(view, login)
        viewer.until(t="picture")
        viewer.send(data, **how)
        return viewer.closing_code()

    assert closed_by("x" * ((1 << 20) + 1)) == 1009
    assert closed_by(b"x" * ((1 << 20) + 1)) == 1009
    assert closed_by("x", mask=False) == 1002
    assert closed_by("x", code=3) == 1002
    assert closed_by(b"\xff\xfe", code=1) == 1007
    huge = page.upgrade(view, login)
    huge.socket.sendall(b"\x82\xff" + (1 << 30).to_bytes(8, "big") + b"\0\0\0\0")
    assert huge.closing_code() == 1009
    stream = page.upgrade("/v1/events", login, "truetty.events.1")
    stream.send("x" * ((1 << 20) + 1))
    assert stream.closing_code() == 1009
    assert page.ask("GET", "/v1/terminals", login=login).status == 200


def test_frames_that_say_nonsense_are_answered_or_passed_over(page: Page, view: str) -> None:
    login = page.login()
    viewer = page.upgrade(view, login)
    viewer.until(t="picture")
    for text in ('{"t":"ack","seq":NaN}', "[1]", "nonsense", '{"t":7}', "", "[" * 5000):
        viewer.send(text)
        assert viewer.until(t="error")["code"] == "misuse", text
    for seq in (-1, 1 << 60, "9", None, 1.5, True):
        viewer.say(t="ack", seq=seq)
    viewer.say(t="later-version")
    viewer.say(t="size", size=[-1, 10**9])
    assert viewer.until(t="error")["code"] == "misuse"
    viewer.say(t="keys", lease="L-wrong", text="touch stolen\r")
    assert viewer.until(t="error")["code"] == "held"
    viewer.say(t="ping", x=1)
    viewer.until(t="pong")


def resident(pid: int) -> int:
    """Bytes of memory."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) << 10


def test_a_viewer_that_stops_reading_costs_nothing(page: Page, view: str) -> None:
    login = page.login()
    terminal = view.split("/")[3]
    stuck = [page.upgrade(view, login) for _ in range(8)]
    command = page.ask("POST", "/v1/commands", {"command": "yes", "terminal": terminal}, login).json["id"]

    def printed() -> int:
        return int(page.ask("GET", f"/v1/commands/{command}", login=login).json["output_bytes"])

    while printed() < 32 << 20:
        pass
    before = resident(page.server.pid())
    while printed() < 160 << 20:
        pass
    assert resident(page.server.pid()) - before < 48 << 20
    reader = page.upgrade(view, login)
    assert reader.until(t="picture")["why"] == "first"
    assert page.ask("POST", f"/v1/commands/{command}/stop", {}, login).json["state"] == "finished"
    assert all(one.status == 101 for one in stuck)


@contextlib.contextmanager
def descriptors(count: int) -> Iterator[None]:
    """This process may have so many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (count if hard < 0 else min(count, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_idle_connections_keep_no_one_out(page: Page) -> None:
    login = page.login()
    with descriptors(2048), contextlib.ExitStack() as open_ones:
        for number in range(1000):
            idle = open_ones.enter_context(page.dial())
            if number % 2:
                idle.sendall(b"GET / HTTP/1.1\r\nHost: ")
        assert page.ask("GET", "/v1/terminals", login=login).status == 200


def test_a_client_that_never_ends_its_request_is_closed(page: Page) -> None:
    head = f"POST /v1/web/login HTTP/1.1\r\nHost: {page.host}\r\nContent-Type: application/json\r\n"
    with page.dial() as slow_head, page.dial() as slow_body:
        slow_head.sendall(head.encode())
        slow_body.sendall(f"{head}Truetty-Client: web\r\nContent-Length: 50\r\n\r\n{{".encode())
        answered = http.client.HTTPResponse(slow_body)
        answered.begin()
        assert json.loads(answered.read())["error"]["code"] == "misuse"
        slow_head.settimeout(PATIENCE)
        with contextlib.suppress(ConnectionResetError):
            assert slow_head.recv(100) == b""


NO_HTTP = (
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # the beginning of TLS
    b"GET /\r\n\r\n",
    b"\0" * 100 + b"\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\n",
)


def test_what_is_no_http_is_answered_and_closed(page: Page) -> None:
    for data in NO_HTTP:
        with page.dial() as made:
            made.sendall(data)
            made.shutdown(socket.SHUT_WR)
            try:
                found = made.recv(1 << 16)
            except ConnectionResetError:
                found = b""
            assert found == b"" or found.startswith(b"HTTP/1.1 4"), found
    assert page.ask("GET", "/v1/web/session").status == 401


def test_no_secret_is_in_a_file(page: Page) -> None:
    link = page.link()
    ticket = link.partition("#ticket=")[2]
    login = page.login()
    page.try_login("wrong-ticket-of-a-stranger")
    page.ask("GET", "/v1/terminals", login=login)
    files = [path for path in Path(page.server.place.folder).rglob("*") if path.is_file()]
    assert files
    for secret in (ticket, login.key, login.cookie.partition("=")[2], "wrong-ticket-of-a-stranger"):
        assert [path for path in files if secret.encode() in path.read_bytes()] == []


def test_files_of_the_page_are_served_as_they_were_built(page: Page) -> None:
    document = page.ask("GET", "/")
    assert document.status == 200 and b"__NONCE__" not in document.body
    names = [path.name for path in (Path(documents.STATIC)).iterdir() if path.suffix in (".js", ".css", ".svg")]
    assert names
    for name in names:
        plain = page.ask("GET", f"/static/{name}", headers={"Accept-Encoding": "identity"})
        assert (plain.status, plain.body) == (200, (Path(documents.STATIC) / name).read_bytes())
        assert plain.headers["x-content-type-options"] == "nosniff"
        packed = page.ask("GET", f"/static/{name}", headers={"Accept-Encoding": "gzip"})
        if packed.headers["content-encoding"] == "gzip":
            assert gzip.decompress(packed.body) == plain.body
        same = page.ask("GET", f"/static/{name}", headers={"If-None-Match": plain.headers["etag"]})
        assert same.status == (304 if same.headers["etag"] == plain.headers["etag"] else 200)
    for name in ("main.js.gz", "index.html.br", "LICENSES"):
        assert page.ask("GET", f"/static/{name}").status == 404
