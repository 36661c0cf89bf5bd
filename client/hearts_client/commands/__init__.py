"""The commands, one a module with ``run(chosen) -> int``, each imported only when it is run."""
