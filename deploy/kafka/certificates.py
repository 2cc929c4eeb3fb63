"""Certificates for a broker with TLS, made by openssl: an authority, a server, and an authority that signed nothing."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from deploy.kafka.tools import BrokerError, find

if TYPE_CHECKING:
    from pathlib import Path

KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
SERVER = """basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature
extendedKeyUsage=serverAuth
subjectKeyIdentifier=hash
authorityKeyIdentifier=keyid
subjectAltName=IP:127.0.0.1,DNS:localhost
"""


def make_certificates(directory: Path) -> None:
    """Write ``ca.pem``, ``wrong-ca.pem`` and ``server.pem``, which holds the key and the chain."""
    directory.mkdir(parents=True, exist_ok=True)
    for name in ("ca", "wrong-ca"):
        _openssl(
            directory,
            *("req", "-x509", *KEY, "-keyout", f"{name}.key", "-out", f"{name}.pem", "-days", "30"),
            *("-subj", f"/CN=streamqid test {name}", "-addext", "keyUsage=critical,keyCertSign,cRLSign"),
        )
    _openssl(directory, "req", *KEY, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
    (directory / "server.ext").write_text(SERVER)
    _openssl(
        directory,
        *("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"),
        *("-days", "30", "-out", "server.crt", "-extfile", "server.ext"),
    )
    parts = [(directory / name).read_text() for name in ("server.key", "server.crt", "ca.pem")]
    (directory / "server.pem").write_text("".join(parts))


def _openssl(directory: Path, *arguments: str) -> None:
    done = subprocess.run([find("openssl"), *arguments], check=False, capture_output=True, text=True, cwd=directory)
    if done.returncode != 0:
        msg = f"openssl could not make a certificate:\n{done.stderr[-2000:]}"
        raise BrokerError(msg)
