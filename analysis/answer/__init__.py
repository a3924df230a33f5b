"""CPU against GPU: which points are set against each other, from which size who wins, at what
energy."""
