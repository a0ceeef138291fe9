"""What this machine serves over HTTP: the interface under `/api/v1` and the console.

A request is parsed, a use case is called, its answer is rendered; nothing is decided here. Begin with `app.py` (what is
mounted), then `guard.py` and `access.py` (who may come in), `routes/` (one file a group of nouns), `forms.py` and
`views.py` (what goes in and out), `problems.py` (an error becomes an answer). The adapters and the store are out of
reach: `gateway.py` says what the rest of the gateway must offer.

The console: `page.py` gives its shell with all words (`words.py` for states, `phrases.py` for the rest), `console.py`
and `turns_shown.py` read what a place shows as facts and keys of words, `markdown.py` makes the only HTML that is not a
template, `feed.py` tells every tab what changed. The page itself is `static/js`, beginning with `app.js`.
"""

__all__: list[str] = []
