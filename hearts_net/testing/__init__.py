"""Tools for tests of anything that speaks this protocol: time that is told, a network in memory."""
