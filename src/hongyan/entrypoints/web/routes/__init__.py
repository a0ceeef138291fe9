"""The routes of `/api/v1`, one file a group of nouns: parse, call one use case, render.

`given.py` hands each route what it works on; `house.py` is the process itself, `setup.py` Apps, people, workspaces and
bindings, `work.py` Sessions and Turns, `approvals.py` what agents ask leave for, `books.py` what is owed, deliveries
and the ledger, `pages.py` what a browser opens.
"""

__all__: list[str] = []
