# SPDX-License-Identifier: BSD-3-Clause
"""The ``rushlight`` command: one file per subcommand."""
