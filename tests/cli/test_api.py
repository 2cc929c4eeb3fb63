"""The names that ``import streamqid`` gives."""

from __future__ import annotations

import logging

import pytest

import streamqid
from streamqid import errors


def test_public_names_are_sorted_and_exist() -> None:
    assert list(streamqid.__all__) == sorted(streamqid.__all__)
    assert set(streamqid.__all__) <= set(dir(streamqid))
    for name in streamqid.__all__:
        assert getattr(streamqid, name) is not None


def test_every_error_is_public() -> None:
    raised = {name for name, value in vars(errors).items() if isinstance(value, type)}
    assert raised <= set(streamqid.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'streamqid' has no attribute 'nonsense'"):
        _ = streamqid.nonsense


def test_the_version_without_an_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib import metadata

    def missing(_: str) -> str:
        raise metadata.PackageNotFoundError

    monkeypatch.setattr(metadata, "version", missing)
    monkeypatch.delitem(vars(streamqid), "__version__", raising=False)
    assert streamqid.__version__ == "0+unknown"
    monkeypatch.delitem(vars(streamqid), "__version__")


def test_the_library_logs_nothing_by_itself() -> None:
    assert any(isinstance(handler, logging.NullHandler) for handler in logging.getLogger("streamqid").handlers)
