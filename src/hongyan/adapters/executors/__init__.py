"""Agent programs as the application needs them: one file an agent protocol, and the processes behind them.

`acp.py` is the door for every program that speaks the Agent Client Protocol; around it stand `acp_agent.py` (one live
agent), `acp_handshake.py` (start, open, resume), `acp_client.py` (what the agent sends us), `acp_turn.py` (one running
turn), `acp_history.py` (evidence after a crash) and `acp_wire.py` (lines on a pipe). `processes.py` starts and ends
programs, `process_table.py` reads what the operating system knows of them, `leftovers.py` ends what a killed gateway
left behind. Nothing here knows a chat or the store. The protocol's SDK takes half a second to load, so bootstrap
imports this package when the first agent starts.
"""

__all__: list[str] = []
