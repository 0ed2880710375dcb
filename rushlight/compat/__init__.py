# SPDX-License-Identifier: BSD-3-Clause
"""Stock import paths mapped onto ours, so that an unmodified ExecuTorch script runs here.

``python -m rushlight.compat script.py`` runs one; ``rushlight.compat.install()`` does the
same to the running interpreter. The map is ``names.py``, one line a name.
"""

from rushlight.compat.finder import install

__all__ = ["install"]
