# SPDX-License-Identifier: BSD-3-Clause
"""Graph in, Program bytes out."""
