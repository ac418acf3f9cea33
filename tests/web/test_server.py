"""Starting the server: what it needs, where it listens, what it says."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kibitz.cli.app import app
from kibitz.core.errors import KibitzError, MissingExtraError
from kibitz.web.server import ServerSettings, listen, prepared


def test_without_the_extra_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "nicegui", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'kibitz\[web\]'"):
        prepared(ServerSettings(tmp_path))


def test_a_port_that_is_taken() -> None:
    with listen(ServerSettings(Path(), port=0)) as first:
        port = first.getsockname()[1]
        with pytest.raises(KibitzError, match="--port"):
            listen(ServerSettings(Path(), port=port))


@pytest.mark.parametrize("host", ["no.such.host.invalid", "192.0.2.1"])
def test_an_address_that_is_not_this_machine_s(host: str) -> None:
    with pytest.raises(KibitzError, match=r"no host|Cannot listen"):
        listen(ServerSettings(Path(), host=host, port=0))


def test_it_listens_to_this_machine_only_unless_told_otherwise() -> None:
    assert ServerSettings(Path()).is_local
    assert not ServerSettings(Path(), host="0.0.0.0").is_local
    with listen(ServerSettings(Path(), port=0)) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"


def test_the_help_tells_of_the_workspace() -> None:
    output = CliRunner().invoke(app, ["serve", "--help"]).output
    assert "--workspace" in output
    assert "--host" in output
