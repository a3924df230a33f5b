"""This folder can be imported, wherever pytest runs."""
