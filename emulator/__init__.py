"""Kernels counted without a GPU: `gemmlab explain`, and its tables and figures."""
