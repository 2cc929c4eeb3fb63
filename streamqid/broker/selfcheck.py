# ruff: noqa: SLF001  # it checks private names
"""Whether what is installed can do what the source relies on, found out before the first record."""

from __future__ import annotations

import importlib
import logging
from types import SimpleNamespace
from typing import Any

import numpy as np
from kafka import TopicPartition
from kafka.consumer.fetcher import Fetcher
from kafka.record import MemoryRecords
from kafka.record.memory_records import MemoryRecordsBuilder

from streamqid.broker.packed import Packed
from streamqid.broker.raw import install, loose
from streamqid.errors import TransportError

log = logging.getLogger(__name__)

PACKAGES = {"crc32c": "crc32c", "lz4.frame": "lz4", "snappy": "python-snappy", "zstandard": "zstandard"}
_RECORDS = ((b"k", b"one"), (None, b"two"), (b"k", None), (b"", b""))


def require_packages() -> None:
    """Raise a TransportError that says what to install if a codec or the fast checksum is missing."""
    missing = []
    for module, package in PACKAGES.items():
        try:
            importlib.import_module(module)
        except ImportError:
            missing.append(package)
    if missing:
        msg = f"Batches of topics cannot be read without {' and '.join(missing)}: pip install {' '.join(missing)}."
        raise TransportError(msg)


def hook_works() -> bool:
    """Tell whether batches can be taken as they are stored: a made-up one must give what the client makes of it."""
    try:
        return _seen(raw=True) == _seen(raw=False)
    except Exception as error:
        log.warning(
            "This version of kafka-python does not give out whole batches (%s), so records are read one by one, "
            "which is slower: install the version that streamqid asks for.",
            type(error).__name__,
        )
        return False


def _seen(*, raw: bool) -> tuple[list[Any], int]:
    """Return offsets, times and values of the made-up batch, by either way, and where reading would go on."""
    consumer = SimpleNamespace(_fetcher=Fetcher.__new__(Fetcher))
    if raw:
        install(consumer, 1 << 20)
    tp = TopicPartition("selfcheck", 0)
    unpacking = consumer._fetcher.PartitionRecords(2, tp, MemoryRecords(_made_up()))
    taken = unpacking.take(100)
    batches: list[Any] = taken if raw else [loose(taken)]
    seen: list[Any] = []
    for batch in batches:
        if raw != isinstance(batch, Packed):
            raise TypeError
        offsets, times = batch.timestamps()
        present, values = batch.values(np.arange(0, 100))
        seen += zip(offsets.tolist(), times.tolist(), present.tolist(), values, strict=True)
    return seen, unpacking.next_fetch_offset


def _made_up() -> bytes:
    builder = MemoryRecordsBuilder(magic=2, compression_type=1, batch_size=1 << 16, offset=0)
    for number, (key, value) in enumerate(_RECORDS):
        builder.append(timestamp=1000 + number, key=key, value=value)
    builder.close()
    return bytes(builder.buffer())
