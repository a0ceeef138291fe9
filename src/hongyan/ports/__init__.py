"""What the application needs from outside, as small Protocols.

Nothing concrete lives here. `store` is where decisions are kept, `chat` the platform people write on, `agents` the
programs that answer, `surroundings` time, chance and wake-ups. An adapter implements one of them; bootstrap joins them.
"""

__all__: list[str] = []
