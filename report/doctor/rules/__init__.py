"""The rules of the doctor, one module a subject."""
