"""Who may come in, from where, and how much they may say."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.types import Message
from tests.unit.entrypoints.web.served import ORIGIN, PORT, Served, served

from hongyan.entrypoints.web.access import LINK_SECONDS
from hongyan.entrypoints.web.guard import BODY_BYTES

OPEN = ["/", "/health", "/login", "/static/tokens.css"]
CLOSED = [
    "/api/v1/status",
    "/api/openapi.json",
    "/console/overview",
    "/api/v1/events",
    "/api/v1/nothing-there",
    "/nothing-there",
]
OUR_OWN = {"origin": ORIGIN, "sec-fetch-site": "same-origin"}


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as house:
        yield house


def code_of(answer: httpx.Response) -> Any:
    return answer.json()["code"]


async def test_health_answers_without_a_token(house: Served) -> None:
    answer = await house.visitor().get("/health")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "version": "1.2.3"})


async def test_every_route_of_the_interface_needs_a_proof(house: Served) -> None:
    described = (await house.program().get("/api/openapi.json")).json()["paths"]
    calls = [(method, path) for path, methods in described.items() for method in methods if path != "/health"]
    answers = [await house.visitor().request(method, path.replace("{", "").replace("}", "")) for method, path in calls]
    assert len(calls) > 30
    assert {(answer.status_code, code_of(answer)) for answer in answers} == {(401, "access.required")}


@pytest.mark.parametrize("path", CLOSED)
async def test_whatever_is_not_open_needs_a_proof(house: Served, path: str) -> None:
    assert code_of(await house.visitor().get(path)) == "access.required"


@pytest.mark.parametrize("path", [*OPEN, *CLOSED])
@pytest.mark.parametrize("host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", f"127.0.0.1:{PORT + 1}", ""])
@pytest.mark.scenario("D15")
async def test_a_rebound_name_reaches_nothing(house: Served, path: str, host: str) -> None:
    answer = await house.program().get(path, headers={"host": host})
    assert (answer.status_code, code_of(answer)) == (421, "access.host")


@pytest.mark.parametrize("host", [f"127.0.0.1:{PORT}", f"localhost:{PORT}", f"[::1]:{PORT}"])
async def test_each_name_of_this_machine_is_welcome(house: Served, host: str) -> None:
    assert (await house.program().get("/api/v1/status", headers={"host": host})).status_code == 200


@pytest.mark.parametrize("header", ["Bearer wrong", "Bearer", "Basic {token}", "{token}", "Bearer {token}x"])
async def test_a_wrong_token_is_refused_even_beside_a_good_cookie(house: Served, header: str) -> None:
    browser = await house.browser()
    answer = await browser.get("/api/v1/status", headers={"authorization": header.format(token=house.access.api_token)})
    assert code_of(answer) == "access.required"


@pytest.mark.scenario("D15")
async def test_a_link_opens_once(house: Served) -> None:
    link = house.access.new_link()
    first, second = await house.visitor().get(link), await house.visitor().get(link)
    assert (first.status_code, first.headers["location"]) == (303, "/")
    assert (second.status_code, "set-cookie" in second.headers) == (410, False)


async def test_a_link_opens_for_a_minute_only(house: Served) -> None:
    link = house.access.new_link()
    house.hand.seconds += LINK_SECONDS + 1
    assert (await house.visitor().get(link)).status_code == 410


async def test_a_made_up_link_opens_nothing(house: Served) -> None:
    answers = [await house.visitor().get(path) for path in ("/login", "/login?t=", "/login?t=guess")]
    assert [answer.status_code for answer in answers] == [410, 410, 410]


async def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(house: Served) -> None:
    answer = await house.visitor().get(house.access.new_link())
    name, _, rest = answer.headers["set-cookie"].partition("=")
    assert name == f"hongyan_{PORT}"
    assert {part.strip().lower() for part in rest.split(";")[1:]} >= {"httponly", "samesite=strict", "path=/"}
    assert (answer.headers["cache-control"], answer.headers["referrer-policy"]) == ("no-store", "no-referrer")


async def test_the_token_of_programs_is_no_link_and_no_cookie(house: Served) -> None:
    token = house.access.api_token
    assert (await house.visitor().get(f"/login?t={token}")).status_code == 410
    answer = await house.visitor(cookie=f"hongyan_{PORT}={token}").get("/api/v1/status")
    assert code_of(answer) == "access.required"


async def test_a_browser_reads_with_its_cookie(house: Served) -> None:
    browser = await house.browser()
    answer = await browser.get("/api/v1/status", headers={"sec-fetch-site": "same-origin"})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": ORIGIN},
        {"sec-fetch-site": "same-origin"},
        {"origin": "http://evil.example", "sec-fetch-site": "cross-site"},
        {"origin": f"http://127.0.0.1:{PORT + 1}", "sec-fetch-site": "same-site"},
        {"origin": f"http://localhost:{PORT}", "sec-fetch-site": "same-origin"},
        {"origin": "null", "sec-fetch-site": "same-origin"},
        {"origin": ORIGIN, "sec-fetch-site": "same-site"},
    ],
)
@pytest.mark.scenario("D15")
async def test_a_page_that_posts_blindly_with_our_cookie_is_refused(house: Served, headers: dict[str, str]) -> None:
    browser = await house.browser()
    answer = await browser.post("/api/v1/stop", headers=headers)
    assert (answer.status_code, code_of(answer)) == (403, "access.origin")
    assert house.process.stopped == []


async def test_our_own_page_may_act(house: Served) -> None:
    browser = await house.browser()
    assert (await browser.post("/api/v1/stop", headers=OUR_OWN)).status_code == 202
    assert house.process.stopped == [True]


@pytest.mark.parametrize("site", ["same-site", "cross-site"])
@pytest.mark.scenario("D15")
async def test_a_page_on_another_port_cannot_read_with_our_cookie(house: Served, site: str) -> None:
    browser = await house.browser()
    answers = [
        await browser.get(path, headers={"sec-fetch-site": site}) for path in ("/console/overview", "/api/v1/ledger")
    ]
    assert [code_of(answer) for answer in answers] == ["access.origin", "access.origin"]


async def test_another_page_that_stole_the_token_is_refused(house: Served) -> None:
    answer = await house.program().post("/api/v1/stop", headers={"origin": "http://evil.example"})
    assert code_of(answer) == "access.origin"


async def test_this_machines_user_makes_links_and_neither_a_program_nor_a_browser_does(house: Served) -> None:
    made = (await house.neighbour().post("/api/v1/login-links")).json()
    assert (await house.visitor().get(made["console_url"])).status_code == 303
    for refused in (
        await (await house.browser()).post("/api/v1/login-links", headers=OUR_OWN),
        await house.program().post("/api/v1/login-links"),
    ):
        assert code_of(refused) == "access.links"


async def test_the_socket_needs_no_token_and_no_name(house: Served) -> None:
    assert (await house.neighbour().get("/api/v1/status")).status_code == 200
    assert (await house.neighbour().post("/api/v1/login-links")).status_code == 201


async def test_a_caller_over_tcp_cannot_pretend_to_be_the_socket(house: Served) -> None:
    answer = await house.visitor(**{"hongyan.caller": "socket"}).get("/api/v1/status")
    assert code_of(answer) == "access.required"


async def chunks(size: int) -> AsyncIterator[bytes]:
    for _ in range(size // 1024):
        yield b" " * 1024


async def test_a_large_body_is_refused_whether_its_size_is_told_or_not(house: Served) -> None:
    told = await house.program().post("/api/v1/backups", content=b" " * (BODY_BYTES + 1))
    untold = await house.program().post("/api/v1/backups", content=chunks(BODY_BYTES + 2048))
    assert [(answer.status_code, code_of(answer)) for answer in (told, untold)] == [(413, "request.too_large")] * 2


@pytest.mark.parametrize("path", [*OPEN, *CLOSED])
async def test_every_answer_forbids_what_pages_could_do_with_it(house: Served, path: str) -> None:
    headers = (await house.visitor().get(path)).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert not re.search(r"unsafe|http:|https:|\*|data:", policy)
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"


async def test_a_request_that_was_cut_off_in_its_body_is_not_carried_out(house: Served) -> None:
    token = house.access.api_token
    headers = [(b"host", f"127.0.0.1:{house.access.port}".encode()), (b"authorization", f"Bearer {token}".encode())]
    scope = {"type": "http", "method": "POST", "path": "/api/v1/stop", "headers": headers, "query_string": b""}
    heard: list[Message] = [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}]
    said: list[Message] = []

    async def receive() -> Message:
        return heard.pop(0)

    async def send(message: Message) -> None:
        said.append(message)

    await house.app({**scope, "scheme": "http", "root_path": "", "http_version": "1.1"}, receive, send)
    assert said[0]["status"] == 400
    assert not house.process.stopped
