# Every target is a thin name for a script; `scripts/NAME` does the same by hand.
.PHONY: up test check test-peers bench newcomer mutants lock clean

up: ; @scripts/up $(ARGS)
test: ; @scripts/test $(ARGS)
check: ; @scripts/check $(ARGS)
test-peers: ; @scripts/test-peers $(ARGS)
bench: ; @scripts/bench $(ARGS)
newcomer: ; @scripts/newcomer $(ARGS)
mutants: ; @scripts/mutants $(ARGS)
lock: ; @scripts/lock $(ARGS)
clean: ; @rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage* artifacts build dist
