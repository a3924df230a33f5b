"""How numbers and implementations are written, and in which colours they are drawn."""
