# SPDX-License-Identifier: BSD-3-Clause
"""One folder per vendor integration, and the contract they all keep."""
