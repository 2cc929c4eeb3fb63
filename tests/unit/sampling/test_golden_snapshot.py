"""A snapshot that version 1 wrote is read, and written again byte for byte, by every later program.

The file is never edited.  A new format version adds a new file beside it.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from streamqid.records import Origin
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.fingerprint import Encoder, MissingRule
from streamqid.sampling.sampler import Sampler
from streamqid.sampling.secret import Secret

GOLDEN = Path(__file__).parents[2] / "data" / "golden" / "sampler-v1.bin"
DIGEST = "3915b82e84591b98b8b9ac4993099ac6a7e9d6f9a474ab3a1fa5b750c98f9c6d"
SECRET = Secret.from_seed(20_260_101)


def golden_sampler() -> Sampler:
    """Sample 3,000 records of three origins with differing columns, missing values and unreadable records."""
    sampler = Sampler(SECRET, Capacity(20, 0.5, 40), MissingRule.EQUAL)
    encoder = Encoder(SECRET, MissingRule.EQUAL, ["?"])
    for partition in range(3):
        origin = Origin("people", partition)
        offsets = sampler.candidates(origin, 1000, 2000, 1000)
        unreadable = offsets[offsets % 7 == 3]
        offsets = offsets[offsets % 7 != 3]
        columns = ["age", "name", "größe"][: partition + 1]
        values: list[list[object]] = [
            [int(offset) % 50 for offset in offsets],
            ["?" if offset % 5 == 0 else f"name {offset}" for offset in offsets],
            [1.5 + int(offset) for offset in offsets],
        ]
        rows = encoder.encode(columns, values, len(offsets))
        sampler.update(origin, 1000, offsets, columns, rows, unreadable.tolist())
    return sampler


def test_the_golden_file_is_untouched() -> None:
    assert hashlib.sha256(GOLDEN.read_bytes()).hexdigest() == DIGEST


def test_todays_code_reads_the_golden_file_and_writes_the_same_bytes() -> None:
    data = GOLDEN.read_bytes()
    assert Sampler.from_bytes(data, SECRET).to_bytes() == data


def test_todays_code_samples_the_same_log_to_the_same_bytes() -> None:
    """Keys, priorities, thresholds, canonical bytes and fingerprints have not changed either."""
    assert golden_sampler().to_bytes() == GOLDEN.read_bytes()


def test_the_golden_file_holds_what_it_should() -> None:
    sampler = Sampler.from_bytes(GOLDEN.read_bytes(), SECRET)
    evidence = sampler.evidence()
    assert (sampler.n, sampler.capacity, sampler.missing) == (3000, Capacity(20, 0.5, 40), MissingRule.EQUAL)
    assert evidence.columns == ("age", "größe", "name")
    assert len(evidence.a.place) == len(evidence.b.place) == sampler.capacity.k(3000)
    assert len(evidence.a) == np.count_nonzero(evidence.a.place >= 0)
    assert 2000 < evidence.n < 3000
    assert len(np.unique(evidence.a.identity[:, 0])) == 3
    assert (evidence.a.fingerprints[:, 1:] == 0).any(axis=0).all()
