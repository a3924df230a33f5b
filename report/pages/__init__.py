"""The report as HTML, Markdown, LaTeX and PDF."""
