"""What a folder is now."""

from pathlib import Path

from hongyan.domain.workspaces import DirectoryState

__all__ = ["HostFolders"]


class HostFolders:
    """Implement `Folders` on the local file system."""

    def look(self, path: str) -> DirectoryState:
        """Resolve every link and give the directory's identity; anything that is no readable directory is absent."""
        try:
            canonical = Path(path).resolve(strict=True)
            stat = canonical.stat()
        except (OSError, RuntimeError):
            return DirectoryState(None)
        if not canonical.is_dir():
            return DirectoryState(None)
        return DirectoryState(str(canonical), str(stat.st_dev), str(stat.st_ino))
