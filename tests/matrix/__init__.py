"""Every write that the gateway makes, met by every fault: what each pair ends in.

`paths` names the writes and `faults` what goes wrong; `aim` finds the one write that a fault is meant for, and `cell`
brings the two together. What is expected stands in `ends.toml`, and `page` makes `docs/fault-matrix.md` of it.
"""

__all__: list[str] = []
