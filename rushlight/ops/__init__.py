"""The op table and its kernels."""
