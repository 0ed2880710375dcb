# SPDX-License-Identifier: BSD-3-Clause
"""Ops whose result element depends on the operands' elements at the same place."""
