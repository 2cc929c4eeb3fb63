"""The bytes of a snapshot: a small header and plain arrays under a checksum.

    offset  size
    0       8     magic "streamqd"
    8       2     format version, little endian
    10      2     reserved, zero
    12      4     length of the header, h
    16      h     header, JSON with sorted keys; "arrays" lists type and shape of each array
    16+h    …     arrays in that order, little endian, without padding
    -32     32    BLAKE2b-256 of everything before it

Equal content gives equal bytes.  Nothing is unpickled, and nothing is parsed before the checksum holds.
"""

from __future__ import annotations

import hashlib
import math
import struct
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from streamqid.errors import SnapshotCorruptError, SnapshotVersionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MAGIC = b"streamqd"
VERSION = 1
SUPPORTED = (1,)
_PREFIX = struct.Struct("<8sHHI")
_DIGEST_BYTES = 32
_TYPES = {"<u8", "<i8", "|b1", "|u1"}


def pack(header: dict[str, Any], arrays: Sequence[NDArray[Any]]) -> bytes:
    """Return the snapshot of a header (JSON values only) and arrays (64-bit integers, bytes or booleans)."""
    shapes = [[array.dtype.newbyteorder("<").str, list(array.shape)] for array in arrays]
    text = msgspec.json.encode({**header, "arrays": shapes}, order="deterministic")
    body = b"".join([_PREFIX.pack(MAGIC, VERSION, 0, len(text)), text, *map(_little_endian, arrays)])
    return body + _digest(body)


def unpack(data: bytes) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """Return header and arrays.

    Raises
    ------
    SnapshotCorruptError
        The bytes are truncated, changed or not a snapshot at all.
    SnapshotVersionError
        They are intact but of a version that this program does not read.
    """
    if len(data) < _PREFIX.size + _DIGEST_BYTES or data[: len(MAGIC)] != MAGIC:
        msg = "These bytes are not a streamqid snapshot: check the path, or restore an older snapshot."
        raise SnapshotCorruptError(msg)
    body, digest = data[:-_DIGEST_BYTES], data[-_DIGEST_BYTES:]
    if _digest(body) != digest:
        msg = "The snapshot is damaged (its checksum does not match): restore an older snapshot."
        raise SnapshotCorruptError(msg)
    _, version, _, length = _PREFIX.unpack_from(body)
    if version not in SUPPORTED:
        raise SnapshotVersionError(version, SUPPORTED)
    header: dict[str, Any] = msgspec.json.decode(body[_PREFIX.size : _PREFIX.size + length])
    return header, _arrays(body, _PREFIX.size + length, header.pop("arrays"))


def _arrays(body: bytes, position: int, shapes: list[tuple[str, list[int]]]) -> list[NDArray[Any]]:
    arrays = []
    for name, shape in shapes:
        if name not in _TYPES:
            msg = f"The snapshot holds an array of unknown type {name}: restore an older snapshot."
            raise SnapshotCorruptError(msg)
        count = math.prod(shape)
        if min(shape, default=0) < 0 or position + count * np.dtype(name).itemsize > len(body):
            msg = "The snapshot holds an array that is longer than the snapshot: restore an older snapshot."
            raise SnapshotCorruptError(msg)
        array = np.frombuffer(body, np.dtype(name), count, position).reshape(shape)
        arrays.append(array.astype(array.dtype.newbyteorder("=")))
        position += array.nbytes
    return arrays


def _little_endian(array: NDArray[Any]) -> bytes:
    return array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_DIGEST_BYTES).digest()
