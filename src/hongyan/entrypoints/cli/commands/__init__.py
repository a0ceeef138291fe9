"""One file a group of nouns: what a person typed becomes a request, and the answer a few lines of text.

Nothing is decided here; what may be done is the gateway's to say. Begin with `apps`, the shortest.
"""

__all__: list[str] = []
