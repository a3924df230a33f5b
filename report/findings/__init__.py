"""Sentences that findings are made of: who is fastest where, and what no single kind of table
tells."""
