"""The control API under /_sim and the web page: how tests and people act on the simulated platform.

Never part of the platform's own surface: another token, loopback only. `app.py` lists the routes, `guard.py` decides
who may use them, `forms.py` says what each accepts.
"""

__all__: list[str] = []
