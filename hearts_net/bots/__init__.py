"""Computer players: how they choose, and how one sits at a table over a link."""
