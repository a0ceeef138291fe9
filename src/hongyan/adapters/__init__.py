"""The concrete world behind the ports; only `hongyan.bootstrap` names what lives here.

`host` is this machine (clock, chance, wake-ups, folders), `store` the database, `lark` the platform, `executors` the
agent programs. `sandbox` and `lark_cli` are rooms that wait for their first stone. None imports another.
"""

__all__: list[str] = []
