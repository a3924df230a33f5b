"""Tables as data, one module a subject."""
