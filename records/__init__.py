"""Records of measurements as Python objects: loaded, checked, made comparable
(docs/record_format.md)."""
