"""Run the revisions on the connection that `store.migrate` hands over, all in one transaction."""

from alembic import context

from hongyan.adapters.store.schema import metadata

__all__: list[str] = []

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
