# SPDX-License-Identifier: BSD-3-Clause
"""The op table and its kernels."""
