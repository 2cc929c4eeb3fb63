from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streamqid.config.checking import check_secrets, hints
from streamqid.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamqid.config import Config

OUTPUT = "publish: {stdout: true}"
PUBLISHED = "{name: p, columns: [a], limits: {separation: 0.9}}"
LOGIN = "sasl: {mechanism: PLAIN, username: x, password_env: PASSWORD}"


@pytest.mark.parametrize(
    ("stream", "top", "hint"),
    [
        ("{}", "{}", "publish names no output"),
        (
            "{}",
            f"{{kafka: {{security_protocol: SASL_PLAINTEXT, {LOGIN}}}, {OUTPUT}}}",
            "crosses the network unprotected",
        ),
        ("{}", f"{{kafka: {{security_protocol: SSL, tls: {{check_hostname: false}}}}, {OUTPUT}}}", "pose as a broker"),
        ("{}", f"{{http: {{address: '::', insecure: true}}, {OUTPUT}}}", "without a token"),
        ("{sampling: {memory: 64MiB}}", f"{{{OUTPUT}}}", "streams[0].sampling.memory holds "),
        (
            "{problems: {key: {epsilon: 0.0001}}}",
            f"{{{OUTPUT}}}",
            "streams[0].problems.key.epsilon 0.0001 is smaller than sampling.epsilon 0.001",
        ),
        ("{missing: {markers: '?'}}", f"{{{OUTPUT}}}", "streams[0].missing.markers has no effect"),
        (
            f"{{windows: {{by: column, column: at, ahead: null}}, published: [{PUBLISHED}]}}",
            f"{{{OUTPUT}}}",
            "streams[0].windows.ahead is null",
        ),
        ("{windows: {panes_kept: 9}}", f"{{{OUTPUT}}}", "streams[0].windows is set, but no published set"),
    ],
)
def test_what_is_perhaps_not_meant_is_told(configured: Callable[..., Config], stream: str, top: str, hint: str) -> None:
    (told,) = hints(configured(stream, top))
    assert hint in told
    assert told.endswith(".")


def test_there_is_no_hint_without_need(configured: Callable[..., Config]) -> None:
    assert not list(hints(configured(top=f"{{{OUTPUT}}}")))


def test_every_secret_is_asked_for(configured: Callable[..., Config]) -> None:
    config = configured(top=f"{{kafka: {{security_protocol: SASL_SSL, {LOGIN}}}, http: {{token_env: TOKEN}}}}")
    check_secrets(config, {"PASSWORD": "x", "TOKEN": "x"})
    for absent in ("PASSWORD", "TOKEN"):
        with pytest.raises(ConfigError, match="names an environment variable that is empty"):
            check_secrets(config, {"PASSWORD": "x", "TOKEN": "x", absent: ""})


@pytest.mark.parametrize("key", ["ca_file", "certificate_file"])
def test_certificates_are_looked_for(configured: Callable[..., Config], tmp_path: Path, key: str) -> None:
    (tmp_path / "there").write_text("x")
    (tmp_path / "there").chmod(0o600)

    def check(name: str) -> None:
        files = f"{key}: '{tmp_path / name}'" + f", key_file: '{tmp_path / 'there'}'" * (key == "certificate_file")
        check_secrets(configured(top=f"{{kafka: {{security_protocol: SSL, tls: {{{files}}}}}}}"), {})

    check("there")
    for wrong in ("absent", ""):
        with pytest.raises(ConfigError, match=rf"^What kafka\.tls\.{key} names is not a file that can be read: check"):
            check(wrong)
