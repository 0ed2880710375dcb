# SPDX-License-Identifier: BSD-3-Clause
"""Wire formats: every flatbuffer layout declared once, in ``layouts.py``."""
