"""What figures of several kinds share: style, layout, axes."""
