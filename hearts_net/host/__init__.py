"""The authority: the table, its store, its sockets and its process."""
