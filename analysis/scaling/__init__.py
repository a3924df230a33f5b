"""More threads and more cards, on which cores they ran and at which clocks."""
