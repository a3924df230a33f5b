"""The edition of report.pdf that one hands in: six to ten pages, with the head that a course asks
for."""
