# SPDX-License-Identifier: BSD-3-Clause
"""Graph to graph: one rewrite per file, named after it."""
