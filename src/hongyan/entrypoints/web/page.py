"""The two pages that a browser opens: the console's shell, and how to come in."""

import json
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, select_autoescape

from hongyan.entrypoints.web.words import CATALOGUE, Tongue

__all__ = ["FOLDER", "Pages"]

FOLDER: Final = Path(__file__).parent
PLACES: Final = (
    ("conversations", "talk", "#/"),
    ("needs", "seal", "#/needs"),
    ("ledger", "ledger", "#/ledger"),
    ("settings", "settings", "#/settings"),
)


class Pages:
    """Renders the templates. The console's shell carries the whole catalogue: the page writes the words itself."""

    def __init__(self) -> None:
        loader = FileSystemLoader(FOLDER / "templates")
        self._templates = Environment(loader=loader, autoescape=select_autoescape(), auto_reload=False)
        self._words = {tongue: _words(tongue) for tongue in Tongue}
        self._told = {tongue: json.dumps(words, ensure_ascii=False) for tongue, words in self._words.items()}

    def shell(self, tongue: Tongue, theme: str) -> str:
        """Give the console; `theme` is empty for the system's own."""
        return self._render("console.html", tongue, theme, words=self._told[tongue], places=PLACES)

    def entrance(self, tongue: Tongue, theme: str, *, over: bool) -> str:
        """Give the page that says how to come in; `over` when the link that was opened is worth nothing."""
        return self._render("entrance.html", tongue, theme, over=over)

    def _render(self, template: str, tongue: Tongue, theme: str, **values: object) -> str:
        words = self._words[tongue]
        return self._templates.get_template(template).render(t=words, tongue=tongue.value, theme=theme, **values)


def _words(tongue: Tongue) -> dict[str, str]:
    chosen = 1 if tongue is Tongue.CHINESE else 0
    return {key: pair[chosen] for key, pair in CATALOGUE.items()}
