"""Cards: their JSON, the entities behind CardKit, and what a person can do with their controls.

`card_json.py` says what may stand in a card, `cards.py` keeps every card that exists, `edits.py` and `operations.py`
are CardKit, `controls.py` finds what can be pressed and `answers.py` reads what a bot answers to it. Nothing here knows
chats or connections: `bot_calls.py` and `clicks.py` above bring cards and people together.
"""

__all__: list[str] = []
