"""The picture in ARCHITECTURE.md shows the doors that exist, no more and no fewer."""

import ast

from tests.architecture.imports import ROOMS, arrows, import_graph, room_of
from tests.architecture.picture import disagreements, drawn_arrows
from tests.architecture.sources import ROOT, Source, source
from tests.architecture.verdict import expect_none

DRAWN = drawn_arrows((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))


def furnished(sources: list[Source]) -> set[str]:
    """Rooms with a definition in them, not just a front that tells what will live there."""
    return {
        room
        for one in sources
        if (room := room_of(one.name))
        and any(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) for node in one.tree.body)
    }


def test_the_arrows_of_the_picture_are_the_imports(shipped: list[Source]) -> None:
    expect_none(disagreements(DRAWN, arrows(import_graph(shipped)), furnished(shipped)))


def test_the_picture_names_every_room_and_nothing_else() -> None:
    named = {room for arrow in DRAWN for room in arrow}
    alone = {"feishu_simulator", "rehearsal_agent"}
    assert named == {room.rpartition(".")[2] for room in ROOMS} - alone


def test_every_module_has_a_room(shipped: list[Source]) -> None:
    outside = {"hongyan", "hongyan.__main__", "hongyan._version", "hongyan.adapters", "hongyan.entrypoints"}
    expect_none(one.path for one in shipped if room_of(one.name) is None and one.name not in outside)


def test_arrows_are_read_from_mermaid_blocks_only() -> None:
    page = 'a --> x\n```mermaid\nflowchart TD\n  a --> b\n  b["B"]\n  b --> c & d\n```\nb --> y\n'
    assert drawn_arrows(page) == {("a", "b"), ("b", "c"), ("b", "d")}


def test_an_import_that_is_not_drawn_is_found() -> None:
    files = [
        source("src/hongyan/adapters/lark/a.py", "from hongyan.adapters.lark_cli.b import X"),
        source("src/hongyan/adapters/lark_cli/b.py", "X = 1"),
    ]
    assert arrows(import_graph(files)) == {("lark", "lark_cli")}
    assert disagreements(set(), arrows(import_graph(files)), set()) == ["lark --> lark_cli is imported but not drawn"]


def test_what_bootstrap_loads_by_name_is_an_import() -> None:
    files = [
        source("src/hongyan/bootstrap.py", 'KINDS = {"acp": "hongyan.adapters.executors.acp:Acp"}'),
        source("src/hongyan/adapters/executors/acp.py", "class Acp: ..."),
    ]
    assert arrows(import_graph(files)) == {("bootstrap", "executors")}


def test_an_arrow_without_import_waits_for_both_rooms_to_be_furnished() -> None:
    drawn = {("web", "domain")}
    assert disagreements(drawn, set(), {"domain"}) == []
    assert disagreements(drawn, set(), {"domain", "web"}) == ["web --> domain is drawn but not imported"]


def test_a_front_that_only_tells_a_story_furnishes_no_room() -> None:
    assert furnished([source("src/hongyan/domain/__init__.py", '"""Facts."""\n\n__all__: list[str] = []\n')]) == set()
    assert furnished([source("src/hongyan/domain/a.py", "class A: ...")]) == {"domain"}
