"""Reading from and writing to Apache Kafka; the only package that imports its client."""

from __future__ import annotations

import warnings

# The client reads its schemas in a way that Python deprecates; that is nothing that our users can act on.
with warnings.catch_warnings():
    warnings.filterwarnings("ignore", "(read|open)_text is deprecated", DeprecationWarning)
    import kafka as _kafka  # noqa: F401
    import kafka.admin  # noqa: F401
