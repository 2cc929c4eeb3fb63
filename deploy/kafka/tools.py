"""The programs that a local broker needs: java, mvn to fetch the jars once, and openssl for certificates."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

PACKAGES = {"java": "default-jre-headless", "mvn": "maven", "openssl": "openssl"}
OLDEST_JAVA = 17


class MissingToolError(RuntimeError):
    """A program is absent or too old.  What to do: install the package that the message names."""


class BrokerError(RuntimeError):
    """A broker could not be prepared or started.  What to do: read the end of its log, which the message quotes."""


def find(tool: str) -> str:
    """Return the path of a program, or raise MissingToolError."""
    path = shutil.which(tool)
    if path is None:
        msg = f"A local Kafka needs the program {tool}: install it (on Debian: apt-get install {PACKAGES[tool]})."
        raise MissingToolError(msg)
    return path


def check_java() -> None:
    """Raise MissingToolError if Java is absent or too old for Kafka."""
    shown = subprocess.run([find("java"), "-version"], check=True, capture_output=True, text=True).stderr
    version = re.search(r'version "(\d+)', shown)
    if version is None or int(version[1]) < OLDEST_JAVA:
        msg = f"A local Kafka needs Java {OLDEST_JAVA} or newer (on Debian: apt-get install {PACKAGES['java']})."
        raise MissingToolError(msg)


def install_missing() -> None:
    """Install what is absent, if this is Debian and the user is root; otherwise `find` will say what is missing."""
    missing = [package for tool, package in PACKAGES.items() if shutil.which(tool) is None]
    apt_get = shutil.which("apt-get")
    if not missing or apt_get is None or os.geteuid() != 0:
        return
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run([apt_get, "update", "-qq"], check=False, env=environment)
    install = [apt_get, "install", "-y", "-qq", "--no-install-recommends", *missing]
    subprocess.run(install, check=False, env=environment, stdout=subprocess.DEVNULL)
