"""The link that every client, bot and watcher uses: identity, whom to call, reconnection."""
