# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch models on any device."""
