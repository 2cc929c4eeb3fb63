"""The service: from a configuration to running streams."""

from streamqid.app.service import Service

__all__ = ["Service"]
