"""Reactions: one emoji a party and message; adding it again gives the first one back."""

from collections import defaultdict

from feishu_simulator.errors import PlatformError
from feishu_simulator.model import Party, Reaction
from feishu_simulator.world import World


class Reactions:
    """Stores reactions by message."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._by_message: defaultdict[str, dict[str, Reaction]] = defaultdict(dict)

    def on(self, message_id: str, emoji: str | None = None) -> list[Reaction]:
        """Return a message's reactions, oldest first."""
        found = self._by_message[message_id].values()
        return [reaction for reaction in found if emoji in (None, reaction.emoji)]

    def same(self, message_id: str, emoji: str, party: Party) -> Reaction | None:
        """Return the party's reaction with that emoji, if it stands."""
        return next((item for item in self.on(message_id, emoji) if item.party == party), None)

    def add(self, message_id: str, emoji: str, party: Party) -> Reaction:
        """Put a reaction on a message."""
        now_ms = self._world.clock.now_ms()
        reaction = Reaction(self._world.ids.reaction_id(), message_id, emoji, party, now_ms)
        self._by_message[message_id][reaction.reaction_id] = reaction
        return reaction

    def find(self, message_id: str, reaction_id: str) -> Reaction:
        """Return one reaction, or refuse as the platform does."""
        reaction = self._by_message[message_id].get(reaction_id)
        if reaction is None:
            raise PlatformError(231011)
        return reaction

    def remove(self, reaction: Reaction) -> None:
        """Take a reaction off."""
        del self._by_message[reaction.message_id][reaction.reaction_id]
