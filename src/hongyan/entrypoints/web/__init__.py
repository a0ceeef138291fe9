"""What this machine serves over HTTP: the interface under `/api/v1` and the status page.

A request is parsed, a use case is called, its answer is rendered; nothing is decided here. Begin with `app.py` (what is
mounted), then `guard.py` and `access.py` (who may come in), `routes/` (one file a group of nouns), `forms.py` and
`views.py` (what goes in and out), `problems.py` (an error becomes an answer), `words.py` and `page.py` (what a person
reads). The adapters and the store are out of reach: `gateway.py` says what the rest of the gateway must offer.
"""

__all__: list[str] = []
