"""What figures of several kinds share: style, layout, axes; and the figure of `compare`."""
