"""Just enough Markdown to send an agent's answer whole: no library, no tree, nothing that is kept.

`compose` is the door: it chooses how an answer travels and cuts it into parts. `survey` says what an answer needs,
`normal` writes what the platform misrenders in a way that it does not, `split` cuts without breaking what it cuts,
`likeness` compares what was sent with what is shown. Below them: `blocks` (lines), `inline` (within a line), `letters`.
"""

__all__: list[str] = []
