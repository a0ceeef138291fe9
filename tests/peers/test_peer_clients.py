"""The official clients, unmodified, on the simulated platform."""

import pytest
from tests.peers.peers import WAIT_SECONDS, meeting

from feishu_simulator.delivery import ACK_WINDOW_MS, LADDER_MS
from feishu_simulator.faults import Effect, Match

pytestmark = [pytest.mark.peers, pytest.mark.parametrize("client", ["lark-oapi", "node-sdk"])]

MESSAGES = "/open-apis/im/v1/messages"


async def test_it_connects_pings_and_acknowledges_a_whole_event(client: str) -> None:
    async with meeting(client) as here:
        await here.connected()
        here.write("whole 雁")
        assert await here.printed("received") == "whole 雁"
        await here.outcomes("acked")
        connection = here.simulator.platform.connections.live(here.app.app_id)[0]
        await here.simulator.until(lambda: connection.pings > 1, timeout_seconds=WAIT_SECONDS)


async def test_it_joins_an_event_of_three_parts_and_acknowledges_once(client: str) -> None:
    async with meeting(client) as here:
        here.simulator.platform.faults.add(Match("event:*"), Effect(fragments=3, fragments_shuffled=True))
        await here.connected()
        here.write("雁字回时" * 50)
        assert await here.printed("received") == "雁字回时" * 50
        await here.outcomes("acked")
        assert here.simulator.platform.connections.live(here.app.app_id)[0].acks == 1


async def test_it_is_sent_the_event_again_after_its_handler_failed(client: str) -> None:
    async with meeting(client) as here:
        await here.connected()
        here.write("refuse once")
        await here.printed("received")
        await here.outcomes("refused")
        here.simulator.clock.advance(LADDER_MS[0])
        assert await here.printed("received") == "refuse once"
        await here.outcomes("refused", "acked")


async def test_it_is_sent_the_event_again_when_it_does_not_acknowledge_in_time(client: str) -> None:
    async with meeting(client) as here:
        await here.connected()
        here.write("hold")
        await here.printed("received")
        here.simulator.clock.advance(ACK_WINDOW_MS + LADDER_MS[0])
        await here.outcomes("timeout", "pending")
        await here.let_go()
        await here.printed("received")
        await here.outcomes("late_ack", "acked")


async def test_it_sends_replies_lists_and_gets(client: str) -> None:
    async with meeting(client) as here:
        await here.connected()
        question = here.write("talk")
        talked = await here.printed("talked")
        seen = here.simulator.platform.visible(here.chat.chat_id)
        assert [message.text for message in seen] == ["talk", "sent", "replied"]
        assert [message.message_id for message in seen] == talked["listed"]
        assert (seen[1].message_id, seen[2].message_id) == (talked["sent"], talked["replied"])
        assert (seen[2].parent_id, talked["got"]) == (question.message_id, "replied")
        calls = here.simulator.platform.requests(f"* {MESSAGES}*")
        assert {call.code for call in calls} == {0}
        assert seen[1].uuid in ("lark-1", "node-1")


async def test_it_comes_back_after_the_platform_closed_the_connection(client: str) -> None:
    async with meeting(client) as here:
        await here.connected()
        connections = here.simulator.platform.connections
        connections.cut(connections.live(here.app.app_id)[0].connection_id, 1011)
        await here.connected(2)
        here.write("still there")
        assert await here.printed("received") == "still there"
        assert len(here.simulator.platform.requests("endpoint")) == 2
