from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from streamqid.config.keyfile import open_key, read_key
from streamqid.config.secrets import SecretSource, others_rights
from streamqid.config.service import KeyConfig
from streamqid.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

CANARY = "canary-5d1c9"
DESCRIPTORS = Path("/proc/self/fd")


@pytest.fixture
def secret_file(tmp_path: Path) -> Callable[..., Path]:
    def make(content: bytes, mode: int = 0o600) -> Path:
        path = tmp_path / "secret"
        path.write_bytes(content)
        path.chmod(mode)
        return path

    return make


@pytest.mark.parametrize("content", [b"canary-5d1c9", b"canary-5d1c9\n", b"canary-5d1c9\r\n"])
def test_a_secret_file_is_read_without_its_line_end(secret_file: Callable[..., Path], content: bytes) -> None:
    assert SecretSource("http.token", secret_file(content, 0o400)).read() == CANARY


def test_blanks_belong_to_a_secret(secret_file: Callable[..., Path]) -> None:
    assert SecretSource("http.token", secret_file(b" a b \n\n")).read() == " a b \n"


def test_a_secret_is_read_from_the_environment() -> None:
    assert SecretSource("http.token", variable="TOKEN").read({"TOKEN": CANARY}) == CANARY


def test_no_secret_is_no_mistake() -> None:
    assert SecretSource("http.token").read({}) is None


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660, 0o601])
def test_a_secret_file_that_others_may_use_is_refused(secret_file: Callable[..., Path], mode: int) -> None:
    with pytest.raises(ConfigError) as refused:
        SecretSource("http.token", secret_file(CANARY.encode(), mode)).read()
    assert str(refused.value) == (
        f"The file that http.token_file names has mode {mode:04o}, so others may use it: set its mode to 0600."
    )


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (b"\n", "is empty"),
        (b"\xff" + CANARY.encode(), "is not a text in UTF-8"),
        (b"x" * 70_000, "more than 65536 bytes"),
    ],
)
def test_a_file_that_cannot_hold_a_secret_is_refused(
    secret_file: Callable[..., Path], content: bytes, sentence: str
) -> None:
    with pytest.raises(ConfigError, match=sentence) as refused:
        SecretSource("http.token", secret_file(content)).read()
    assert CANARY not in str(refused.value)


def test_a_secret_that_stands_in_place_of_its_file_or_variable_is_not_told(tmp_path: Path) -> None:
    for source in (SecretSource("k", tmp_path / CANARY), SecretSource("k", variable=CANARY)):
        with pytest.raises(ConfigError, match=r"^(The file that )?k_(file|env) names") as refused:
            source.read({})
        assert CANARY not in str(refused.value)


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(ConfigError, match="is not a file"):
        SecretSource("k", tmp_path / "pipe").read()


def test_a_directory_is_not_a_secret_and_stays_closed(tmp_path: Path) -> None:
    before = len(list(DESCRIPTORS.iterdir()))
    with pytest.raises(ConfigError, match=r"What kafka\.sasl\.password_file names is not a file: give the path"):
        SecretSource("kafka.sasl.password", tmp_path).read()
    assert len(list(DESCRIPTORS.iterdir())) == before


def test_a_key_is_made_once_for_its_owner_only(tmp_path: Path) -> None:
    config = KeyConfig(file=tmp_path / "state" / "key", create=True)
    assert read_key(config) is None
    made = open_key(config)
    assert stat.S_IMODE(config.file.stat().st_mode) == 0o600
    assert stat.S_IMODE(config.file.parent.stat().st_mode) == 0o700
    assert config.file.read_text() == made.raw.hex() + "\n"
    assert open_key(config) == made == read_key(KeyConfig(file=config.file, create=False))
    assert [path.name for path in config.file.parent.iterdir()] == ["key"]


def test_whoever_makes_a_key_at_once_gets_the_same(tmp_path: Path) -> None:
    config = KeyConfig(file=tmp_path / "key", create=True)
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: open_key(config).raw, range(32)))
    assert len(keys) == 1


def test_two_keys_differ(tmp_path: Path) -> None:
    assert open_key(KeyConfig(file=tmp_path / "a")) != open_key(KeyConfig(file=tmp_path / "b"))


def test_a_key_is_not_made_unless_asked_for(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"key\.file names cannot be read \(No such file or directory\)"):
        open_key(KeyConfig(file=tmp_path / "key", create=False))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", ["", "ab" * 31, "ab" * 33, "xy" * 32, "ab " * 32, "ab" * 31 + "a", " " + "ab" * 32])
def test_a_key_of_the_wrong_length_is_refused_and_kept(secret_file: Callable[..., Path], text: str) -> None:
    path = secret_file(text.encode())
    with pytest.raises(ConfigError, match=r"64 hexadecimal digits|is empty") as refused:
        open_key(KeyConfig(file=path, create=True))
    assert path.read_text() == text
    assert "abab" not in str(refused.value)


def test_a_key_that_others_may_read_is_refused(secret_file: Callable[..., Path]) -> None:
    with pytest.raises(ConfigError, match="has mode 0644"):
        open_key(KeyConfig(file=secret_file(b"ab" * 32, 0o644)))


def test_a_link_that_leads_nowhere_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "key").symlink_to(tmp_path / "gone")
    with pytest.raises(ConfigError, match="cannot be read"):
        open_key(KeyConfig(file=tmp_path / "key", create=True))


def test_a_place_where_no_key_can_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"key\.file names cannot be created \(File exists\)"):
        open_key(KeyConfig(file=tmp_path / "file" / "key"))


@pytest.mark.parametrize(
    ("owner", "user", "mode", "refused"),
    [
        (1000, 1000, 0o600, False),
        (1000, 1000, 0o640, True),
        (0, 0, 0o640, True),
        (0, 1000, 0o440, False),
        (0, 1000, 0o444, True),
        (0, 1000, 0o460, True),
        (2000, 1000, 0o440, True),
    ],
)
def test_only_root_may_share_a_secret_with_a_group(owner: int, user: int, mode: int, refused: bool) -> None:
    assert bool(mode & others_rights(owner, user)) is refused
