"""The client library, imported without its warning: it reads its schemas in a way that Python 3.11 deprecates.

Tests fail on warnings, and the conftest of this folder imports this module first; so the others import kafka as usual.
"""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", "(read|open)_text is deprecated", DeprecationWarning)
    import kafka.admin  # noqa: F401
