"""The rules of Hearts: cards, options, one deal, one game, scoring, game records. Pure."""
