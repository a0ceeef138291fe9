"""A deterministic agent for demos and tests that speaks the Agent Client Protocol on stdin and stdout.

Nothing here calls a model. What a turn does is read from the prompt: ordinary words are echoed, and words in
double square brackets (`[[slow]]`, `[[tool]]`, `[[crash]]`) make it behave like the agents people really run,
on their good and bad days.

Begin with `script.py` (the words), then `performance.py` (what each of them does), `agent.py` (the protocol's
methods) and `journal.py` (what survives the process). The package knows nothing of the gateway: they meet
only over the protocol.
"""

__all__: list[str] = []
