"""What another page, another port, another name or a second use of a link gets: nothing, and it does nothing."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from tests.unit.entrypoints.web.served import ORIGIN, PORT, Served, served

from hongyan.entrypoints.web.access import COOKIE_SECONDS

READS = [
    "/console/overview",
    "/console/needs",
    "/api/v1/approvals",
    "/api/v1/events",
    "/api/openapi.json",
    "/metrics",
]
WRITES = [
    ("POST", "/api/v1/stop"),
    ("POST", "/api/v1/approvals/dec_1/decide"),
    ("POST", "/api/v1/login-links"),
    ("POST", "/api/v1/sessions"),
    ("POST", "/api/v1/owed/req_1/drop"),
    ("DELETE", "/api/v1/workspaces/docs"),
    ("POST", "/metrics"),
]
ELSEWHERE = {
    "another origin": {"origin": "http://evil.example", "sec-fetch-site": "cross-site"},
    "another port": {"origin": f"http://127.0.0.1:{PORT + 1}", "sec-fetch-site": "same-site"},
    "another name of this machine": {"origin": f"http://localhost:{PORT}", "sec-fetch-site": "cross-site"},
    "a page without an origin": {"origin": "null", "sec-fetch-site": "cross-site"},
}
REBOUND = {"host": f"evil.example:{PORT}", "origin": f"http://evil.example:{PORT}", "sec-fetch-site": "same-origin"}
BLIND = "application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as house:
        yield house


def gives_nothing(answer: httpx.Response, code: str) -> None:
    """See that an answer is a refusal that no other page may read."""
    assert answer.json()["code"] == code
    assert 400 <= answer.status_code < 500
    assert not [name for name in answer.headers if name.startswith("access-control-")]
    assert "set-cookie" not in answer.headers
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.scenario("D15")
@pytest.mark.parametrize("path", READS)
@pytest.mark.parametrize("page", ELSEWHERE)
async def test_a_page_elsewhere_reads_nothing_with_our_cookie(house: Served, page: str, path: str) -> None:
    browser = await house.browser()
    gives_nothing(await browser.get(path, headers=ELSEWHERE[page]), "access.origin")


@pytest.mark.scenario("D15")
@pytest.mark.parametrize(("method", "path"), WRITES)
@pytest.mark.parametrize("page", ELSEWHERE)
async def test_a_page_elsewhere_does_nothing_with_our_cookie(house: Served, page: str, method: str, path: str) -> None:
    browser = await house.browser()
    gives_nothing(await browser.request(method, path, headers=ELSEWHERE[page]), "access.origin")
    assert house.process.stopped == []


@pytest.mark.scenario("D15")
@pytest.mark.parametrize("kind", BLIND)
async def test_a_form_that_is_posted_blindly_does_nothing(house: Served, kind: str) -> None:
    browser = await house.browser()
    forms = [
        {"content-type": kind},
        {"content-type": kind, "origin": ORIGIN, "sec-fetch-site": "same-site"},
        {"content-type": kind, "origin": ORIGIN, "sec-fetch-site": "same-origin", "host": f"127.0.0.1:{PORT + 1}"},
    ]
    answers = [await browser.post("/api/v1/stop", headers=headers, content=b"x={}") for headers in forms]
    assert [answer.json()["code"] for answer in answers] == ["access.origin", "access.origin", "access.host"]
    assert house.process.stopped == []


@pytest.mark.scenario("D15")
@pytest.mark.parametrize("path", READS)
async def test_a_rebound_name_reads_nothing_with_our_cookie_or_token(house: Served, path: str) -> None:
    for caller in (await house.browser(), house.program()):
        gives_nothing(await caller.get(path, headers=REBOUND), "access.host")


@pytest.mark.scenario("D15")
async def test_a_page_elsewhere_is_promised_nothing_before_it_asks(house: Served) -> None:
    browser = await house.browser()
    wish = {"access-control-request-method": "POST", "access-control-request-headers": "content-type"}
    for page in ELSEWHERE.values():
        answer = await browser.options("/api/v1/stop", headers={**page, **wish})
        assert not [name for name in answer.headers if name.startswith("access-control-")]
        assert answer.status_code >= 400


@pytest.mark.scenario("D15")
async def test_a_link_that_was_used_is_worth_nothing_and_harms_nobody(house: Served) -> None:
    link = house.access.new_link()
    first, thief = house.visitor(), house.visitor()
    assert (await first.get(link)).status_code == 303
    replay = await thief.get(link)
    assert (replay.status_code, "set-cookie" in replay.headers) == (410, False)
    assert (await thief.get("/console/overview")).status_code == 401
    assert (await first.get("/console/overview")).status_code == 200


@pytest.mark.scenario("D15")
async def test_a_link_in_an_address_is_neither_kept_nor_told_on(house: Served) -> None:
    answer = await house.visitor().get(house.access.new_link())
    assert answer.headers["location"] == "/"
    assert (answer.headers["cache-control"], answer.headers["referrer-policy"]) == ("no-store", "no-referrer")


@pytest.mark.scenario("D15")
async def test_the_token_the_link_and_the_cookie_do_not_stand_in_for_one_another(house: Served) -> None:
    token, ticket = house.access.api_token, house.access.new_link().partition("t=")[2]
    browser = await house.browser()
    [cookie] = [one.value or "" for one in browser.cookies.jar]
    name = house.access.cookie_name
    for wrong in ({"cookie": f"{name}={token}"}, {"cookie": f"{name}={ticket}"}, {"authorization": f"Bearer {cookie}"}):
        gives_nothing(await house.visitor().get("/console/overview", headers=wrong), "access.required")
    assert (await house.visitor().get(f"/login?t={cookie}")).status_code == 410
    assert (await house.visitor().get(f"/console/overview?token={token}")).status_code == 401


@pytest.mark.scenario("D15")
async def test_a_cookie_is_over_after_its_time(house: Served) -> None:
    browser = await house.browser()
    house.hand.seconds += COOKIE_SECONDS + 1
    gives_nothing(await browser.get("/console/overview"), "access.required")


@pytest.mark.scenario("D15")
@pytest.mark.parametrize("path", ["/metrics", "/api/v1/events"])
async def test_figures_and_the_stream_need_a_proof(house: Served, path: str) -> None:
    gives_nothing(await house.visitor().get(path), "access.required")
