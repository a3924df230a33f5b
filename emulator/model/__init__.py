"""How long what was counted takes on a card."""
