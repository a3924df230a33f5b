"""What follows from records, as data: tables, ladders, roofs, scaling and comparisons. Nothing here
draws or writes."""
