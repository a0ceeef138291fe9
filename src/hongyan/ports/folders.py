"""What the file system says of a folder."""

from typing import Protocol

from hongyan.domain.workspaces import DirectoryState

__all__ = ["Folders"]


class Folders(Protocol):
    """Looks at folders; changes nothing."""

    def look(self, path: str) -> DirectoryState:
        """Give what `path` is now; `canonical` is None when it is no readable directory."""
