"""Hearts on a local network: everything but the screen."""
