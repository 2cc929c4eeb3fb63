"""Certificates for a broker with TLS and its clients, made by openssl: an authority, and one that nobody trusts."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from deploy.kafka.tools import BrokerError, find

if TYPE_CHECKING:
    from pathlib import Path

KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
SIGNED = """basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature
subjectKeyIdentifier=hash
authorityKeyIdentifier=keyid
"""
SERVER = f"{SIGNED}extendedKeyUsage=serverAuth\nsubjectAltName=IP:127.0.0.1,DNS:localhost\n"
CLIENT = f"{SIGNED}extendedKeyUsage=clientAuth\n"


def make_certificates(directory: Path) -> None:
    """Write ``ca.pem`` and ``wrong-ca.pem``, a client of each, and ``server.pem``, which holds the key and the chain.

    Clients are ``client.crt`` and ``wrong-client.crt``; their keys end in ``.key``, and only their owner may read them.
    """
    directory.mkdir(parents=True, exist_ok=True)
    for name in ("ca", "wrong-ca"):
        _openssl(
            directory,
            *("req", "-x509", *KEY, "-keyout", f"{name}.key", "-out", f"{name}.pem", "-days", "30"),
            *("-subj", f"/CN=streamqid test {name}", "-addext", "keyUsage=critical,keyCertSign,cRLSign"),
        )
    _sign(directory, "server", "ca", "localhost", SERVER)
    _sign(directory, "client", "ca", "client", CLIENT)
    _sign(directory, "wrong-client", "wrong-ca", "client", CLIENT)
    parts = [(directory / name).read_text() for name in ("server.key", "server.crt", "ca.pem")]
    (directory / "server.pem").write_text("".join(parts))


def _sign(directory: Path, name: str, authority: str, subject: str, extensions: str) -> None:
    _openssl(directory, "req", *KEY, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={subject}")
    (directory / f"{name}.key").chmod(0o600)
    (directory / f"{name}.ext").write_text(extensions)
    _openssl(
        directory,
        *("x509", "-req", "-in", f"{name}.csr", "-CA", f"{authority}.pem", "-CAkey", f"{authority}.key"),
        *("-CAcreateserial", "-days", "30", "-out", f"{name}.crt", "-extfile", f"{name}.ext"),
    )


def _openssl(directory: Path, *arguments: str) -> None:
    done = subprocess.run([find("openssl"), *arguments], check=False, capture_output=True, text=True, cwd=directory)
    if done.returncode != 0:
        msg = f"openssl could not make a certificate:\n{done.stderr[-2000:]}"
        raise BrokerError(msg)
