"""An agent of a few lines with one flaw, named by its argument: the shapes that real agents have and the SDK hides.

Uses nothing but the standard library, so that it starts at once and may break the protocol.
"""

import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

NOT_FOUND = {"code": -32601, "message": "Method not found"}
FLAW = sys.argv[1] if len(sys.argv) > 1 else ""


def write(message: dict[str, Any]) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def update(session: str, **fields: Any) -> None:
    write({"method": "session/update", "params": {"sessionId": session, "update": fields}})


def initialize(_: dict[str, Any]) -> dict[str, Any]:
    sessions: dict[str, Any] = {} if FLAW == "no-history" else {"resume": {}}
    capabilities = {"loadSession": FLAW != "no-history", "sessionCapabilities": sessions}
    return {"result": {"protocolVersion": 9 if FLAW == "old" else 1, "agentCapabilities": capabilities}}


def new_session(_: dict[str, Any]) -> dict[str, Any]:
    if FLAW == "login":
        return {"error": {"code": -32000, "message": "Authentication required"}}
    return {"result": {"sessionId": "only"}}


def resume(_: dict[str, Any]) -> dict[str, Any]:
    return {"error": NOT_FOUND} if FLAW == "false-resume" else {"result": {}}


def load(params: dict[str, Any]) -> dict[str, Any]:
    print(f"loaded {params['sessionId']}", file=sys.stderr, flush=True)
    return {"result": {}}


def prompt(params: dict[str, Any]) -> dict[str, Any]:
    session = params["sessionId"]
    if FLAW == "hangs-up":
        os.close(1)
        time.sleep(600)
    text = {"type": "text", "text": "x"}
    update("another", sessionUpdate="agent_message_chunk", content={**text, "text": "not for you"})
    update(session, sessionUpdate="a_kind_of_tomorrow", content=1)
    write({"method": "$/cancel_request", "params": {"requestId": 7}})
    if FLAW == "late-title":
        update(session, sessionUpdate="tool_call_update", toolCallId="t", status="in_progress")
        update(session, sessionUpdate="tool_call", toolCallId="t", title="bash", kind="execute")
        update(session, sessionUpdate="tool_call_update", toolCallId="t", title="ls")
        update(session, sessionUpdate="tool_call_update", toolCallId="t", status="completed")
    if FLAW == "half-letters":
        for piece in ("a \ud83e", "\udda2 and \ud83e", " b"):  # a swan in two pieces, and half a letter for ever
            update(session, sessionUpdate="agent_message_chunk", content={**text, "text": piece})
            update(session, sessionUpdate="agent_thought_chunk", content={**text, "text": piece})
        update(session, sessionUpdate="tool_call", toolCallId="t", title="cut \ud83e", kind="execute")
        return {"error": {"code": 1, "message": "broke \udda2 off"}}
    environment = " ".join(sorted(name for name in os.environ if name != "LC_CTYPE"))
    update(session, sessionUpdate="agent_message_chunk", content={**text, "text": environment})
    return {"result": {"stopReason": "end_turn"}}


HANDLERS = {
    "initialize": initialize,
    "session/new": new_session,
    "session/resume": resume,
    "session/load": load,
    "session/prompt": prompt,
}


def be_stubborn() -> None:
    """Ignore SIGTERM and the end of stdin, and leave a child that does the same and holds the pipes."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    print(f"child {child.pid}", file=sys.stderr, flush=True)


def main() -> None:
    print("here I am", file=sys.stderr, flush=True)
    if FLAW == "garbage":
        print("Welcome to the agent!", flush=True)
    if FLAW == "quits":
        sys.exit(3)
    if FLAW == "stubborn":
        be_stubborn()
    for line in sys.stdin:
        message = json.loads(line)
        handler = HANDLERS.get(message["method"])
        if "id" in message:
            answer = handler(message["params"]) if handler else {"error": NOT_FOUND}
            write({"id": message["id"], **answer})
    while FLAW == "stubborn":
        time.sleep(600)


if __name__ == "__main__":
    main()
