"""The configuration of ``streamqid run``: models, loading, secrets, and what is built from them.

The environment comes before the file, and the file before the defaults.
"""

from streamqid.config.loading import Loaded, load
from streamqid.config.root import Config
from streamqid.config.stream import StreamConfig

__all__ = ["Config", "Loaded", "StreamConfig", "load"]
