# SPDX-License-Identifier: BSD-3-Clause
"""Measurements: each script prints a table and, with ``--json FILE``, keeps the figures."""
