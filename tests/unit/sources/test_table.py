"""Opening tables by path: formats, compression, standard input, and files that cannot be read."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import re
import sys
from typing import TYPE_CHECKING

import pytest
import zstandard

from streamqid.errors import TableError
from streamqid.sources import open_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamqid.records import Source
    from tests.unit.sources.conftest import Read

ROWS = {0: {"a": "1", "b": "x"}, 1: {"a": "2", "b": "y"}}
CSV = b"a,b\n1,x\n2,y\n"
TSV = b"a\tb\n1\tx\n2\ty\n"
JSONL = b'{"a":"1","b":"x"}\n{"a":"2","b":"y"}\n'
ARRAY = b'[{"a":"1","b":"x"},{"a":"2","b":"y"}]'


def plain(data: bytes) -> bytes:
    return data


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_checksum=True).compress(data)


def columns_of(source: Source) -> tuple[str, ...]:
    with contextlib.closing(source):
        return source.columns


def stdin_of(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.mark.parametrize("compress", [plain, gzip.compress, zstd])
@pytest.mark.parametrize(
    ("ending", "data"),
    [
        (".csv", CSV),
        (".CSV", CSV),
        (".txt", TSV),
        (".tsv", TSV),
        (".jsonl", JSONL),
        (".ndjson", JSONL),
        (".json", JSONL),
        (".json", ARRAY),
    ],
)
@pytest.mark.parametrize("packed", ["", ".gz", ".zst"])
def test_ending_tells_the_format_and_content_the_compression(
    read: Read, tmp_path: Path, ending: str, packed: str, data: bytes, compress: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / f"t{ending}{packed}"
    path.write_bytes(compress(data))
    source = open_table(path)
    table = read(source)
    assert table.rows == ROWS
    assert source.name == str(path)
    assert table.nbytes == source.total_bytes == path.stat().st_size


def test_tsv_takes_the_tab_whatever_the_header(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_bytes(b"a,b,c\td\n")
    assert columns_of(open_table(path)) == ("a,b,c", "d")
    assert columns_of(open_table(str(path), delimiter=",")) == ("a", "b", "c\td")
    assert columns_of(open_table(path, delimiter="\\t")) == ("a,b,c", "d")


def test_named_format_counts_more_than_the_ending(read: Read, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(JSONL)
    assert read(open_table(path, format="jsonl")).rows == ROWS


def test_named_format_counts_more_than_tsv(read: Read, tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_bytes(JSONL)
    assert read(open_table(path, format="jsonl")).rows == ROWS


def test_array_among_lines_is_one_bad_line(read: Read, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"[1]\n" + JSONL)
    table = read(open_table(path))
    assert len(table.rows) == 2
    assert len(table.rejects) == 1


@pytest.mark.parametrize("compress", [plain, gzip.compress, zstd])
@pytest.mark.parametrize("data", [CSV, TSV, JSONL, b"\xef\xbb\xbf" + JSONL])
def test_standard_input_is_read(
    read: Read, monkeypatch: pytest.MonkeyPatch, data: bytes, compress: Callable[[bytes], bytes]
) -> None:
    stdin_of(monkeypatch, compress(data))
    source = open_table("-")
    assert source.total_bytes is None
    assert source.name == "standard input"
    assert read(source).rows == ROWS
    assert not sys.stdin.buffer.closed


def test_standard_input_may_be_a_pipe_that_fills_slowly(read: Read, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    os.mkfifo(path)
    writer = os.fork()
    if writer == 0:
        with path.open("wb", buffering=0) as pipe:
            for at in range(len(CSV)):
                pipe.write(CSV[at : at + 1])
        os._exit(0)
    source = open_table(path)
    assert source.total_bytes is None
    assert read(source).rows == ROWS
    os.waitpid(writer, 0)


@pytest.mark.parametrize("data", [CSV, gzip.compress(JSONL, mtime=0), ARRAY])
def test_a_pipe_whose_name_tells_no_format_is_read_like_standard_input(read: Read, data: bytes) -> None:
    ours, theirs = os.pipe()
    os.write(theirs, data)
    os.close(theirs)
    assert read(open_table(f"/dev/fd/{ours}")).rows == ROWS
    os.close(ours)


@pytest.mark.parametrize("data", [b"PAR1", gzip.compress(b"PAR1", mtime=0), b"PAR1" + CSV])
def test_parquet_from_standard_input_is_refused(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    stdin_of(monkeypatch, data)
    with pytest.raises(TableError, match="give a file"):
        open_table("-")


def test_absent_standard_input_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(TableError, match="no standard input"):
        open_table("-")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("absent.csv", "does not exist"),
        ("folder.csv", "is a directory"),
        ("nul\0.csv", "cannot be opened"),
    ],
)
def test_what_is_no_file_is_refused(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(TableError, match=message):
        open_table(tmp_path / name)


def test_an_empty_path_is_refused() -> None:
    with pytest.raises(TableError, match="path is empty: give a file"):
        open_table("")


def test_file_that_the_system_refuses_is_named_with_its_reason(tmp_path: Path) -> None:
    """A loop of links, because unlike missing rights it is refused to every user, root included."""
    path = tmp_path / "t.csv"
    path.symlink_to(path)
    with pytest.raises(TableError, match="Too many levels of symbolic links"):
        open_table(path)


def test_failure_to_read_is_reported() -> None:
    with pytest.raises(TableError, match="Input/output error"):
        open_table("/proc/self/mem", format="csv")


def test_unknown_endings_formats_and_delimiters_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t.dat").write_bytes(CSV)
    with pytest.raises(TableError, match="does not tell its format: give --format csv or --format jsonl or"):
        open_table(tmp_path / "t.dat")
    with pytest.raises(TableError, match="format xlsx is not known"):
        open_table(tmp_path / "t.dat", format="xlsx")
    with pytest.raises(TableError, match="delimiter is for csv only"):
        open_table(tmp_path / "t.dat", format="jsonl", delimiter=",")
    for delimiter in ("", "ab", '"', "\n", "§"):
        with pytest.raises(TableError, match="delimiter is one ASCII character"):
            open_table(tmp_path / "t.dat", format="csv", delimiter=delimiter)


def big_table() -> bytes:
    return b"a,b\n" + b"".join(b"%d,%d\n" % (at, at * 7919 % 1000) for at in range(200_000))


@pytest.mark.parametrize("compress", [gzip.compress, zstd])
def test_truncated_and_damaged_streams_are_reported(
    read: Read, tmp_path: Path, compress: Callable[[bytes], bytes]
) -> None:
    packed = compress(big_table())
    path = tmp_path / "t.csv"
    for size in (len(packed) // 2, len(packed) - 1, 20):
        path.write_bytes(packed[:size])
        with pytest.raises(TableError, match=rf"t\.csv ends too early: .* byte {size:,} only"):
            read(open_table(path))
    middle = len(packed) // 2
    path.write_bytes(packed[:middle] + bytes(200) + packed[middle + 200 :])
    with pytest.raises(TableError, match=r"is damaged|ends too early") as caught:
        read(open_table(path))
    # Where it was noticed, and not how long the file is.
    place = int(re.findall(r"byte ([\d,]+) only", str(caught.value))[0].replace(",", ""))
    assert middle - 8192 <= place < len(packed)


@pytest.mark.parametrize("compress", [gzip.compress, zstd])
def test_frames_one_after_the_other_and_padding_are_read(
    read: Read, tmp_path: Path, compress: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(compress(CSV[:5]) + compress(b"") + compress(CSV[5:]) + bytes(100))
    assert read(open_table(path)).rows == ROWS


def test_zstd_may_start_with_a_frame_to_skip(read: Read, tmp_path: Path) -> None:
    path = tmp_path / "t.csv.zst"
    path.write_bytes(b"\x53\x2a\x4d\x18\x03\x00\x00\x00abc" + zstd(CSV))
    assert read(open_table(path)).rows == ROWS


def test_zstd_without_its_library_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv.zst"
    path.write_bytes(zstd(CSV))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(TableError, match="pip install zstandard"):
        open_table(path)


def test_bytes_of_batches_add_up(tmp_path: Path, read: Read) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(big_table() * 8))
    source = open_table(path)
    batches = list(source.batches())
    source.close()
    assert len(batches) > 2
    assert sum(batch.nbytes for batch in batches) == source.total_bytes
    assert all(batch.nbytes > 0 for batch in batches)


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_source_can_be_closed_before_its_end(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(big_table() * 8 if name == "t.csv" else JSONL * 200_000)
    source = open_table(path)
    batch = next(iter(source.batches()))
    source.close()
    source.close()
    assert batch.count > 1000


CANARY = "canary-7f3a"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("t.csv", f'a,b\n1,"{CANARY}\n2,3\n'.encode()),
        ("t.csv", f"a,b\r1,{CANARY}\r".encode()),
        ("t.csv", f'a,"b\n1,{CANARY}\n2,3\n'.encode()),
        ("t.csv", f"a,b\n1,{CANARY}\n".encode("utf-16")),
        ("t.csv", gzip.compress(f"a,b\n1,{CANARY}\n".encode(), mtime=0)[:-6]),
        ("t.json", f'[{{"a":"{CANARY}"}},{{"a":{CANARY}}}]'.encode()),
        ("t.json", f'[{{"a":"{CANARY}"}}'.encode()),
        ("t.json", f'[{{"a":"{CANARY}"}}]{CANARY}'.encode()),
        ("t.parquet", f"PAR1{CANARY}PAR1".encode()),
        ("t.parquet", CANARY.encode()),
    ],
)
def test_no_message_holds_a_value(tmp_path: Path, read: Read, name: str, data: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(TableError) as caught:
        read(open_table(path))
    error: BaseException | None = caught.value
    while error is not None:
        assert CANARY not in str(error)
        error = None if error.__suppress_context__ else error.__cause__ or error.__context__
    assert str(caught.value).endswith(".")


def test_no_reject_holds_a_value(tmp_path: Path, read: Read) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(f'{{"a":{CANARY}}}\n["{CANARY}"]\n{json.dumps(CANARY)}\n')
    table = read(open_table(path))
    assert len(table.rejects) == 3
    assert CANARY not in repr(table.rejects)
