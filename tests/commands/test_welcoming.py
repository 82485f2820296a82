"""The first run and the question of trust, on real files and real loopback servers."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from desks import Counter, keep, opened

from longwatch.adapters.settings.files import load_global
from longwatch.adapters.settings.trust import Trust
from longwatch.session.state import Profile
from longwatch.ui.configuring import Server
from longwatch.ui.services import Refused


class ModelServer(BaseHTTPRequestHandler):
    """A server that has two models and says no more."""

    def do_GET(self) -> None:
        found = self.path == "/v1/models"
        models = {"object": "list", "data": [{"id": "qwen3"}, {"id": "llama4"}]}
        self.send_response(200 if found else 404)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(models if found else {}).encode())

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Nothing is printed."""


@pytest.fixture
def port() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), ModelServer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


# --- the first run --------------------------------------------------------------------------


def test_it_is_new_until_there_is_a_configuration_or_a_session(
    desk: Counter, tmp_path: Path
) -> None:
    assert desk.welcome.is_new()
    keep(desk)
    assert not desk.welcome.is_new()
    (tmp_path / "other").mkdir()
    other = opened(tmp_path / "other")
    assert other.welcome.is_new()
    other.wiring.places.config.mkdir()
    other.wiring.places.config_file.write_text("")
    assert not other.welcome.is_new()
    other.store.close()


def test_a_model_that_is_named_in_the_environment_is_a_configuration(tmp_path: Path) -> None:
    desk = opened(tmp_path, {"LONGWATCH_MODEL": "openai:m"})
    assert not desk.welcome.is_new()
    desk.store.close()


def test_keys_are_told_by_the_names_of_their_variables(tmp_path: Path) -> None:
    desk = opened(tmp_path, {"OPENAI_API_KEY": "sk-secret-secret", "ANTHROPIC_API_KEY": " "})
    assert desk.welcome.keys() == ("OPENAI_API_KEY",)
    told = desk.welcome.use_key("OPENAI_API_KEY")
    path = desk.wiring.places.config_file
    assert told == f"Using the key in OPENAI_API_KEY. Written to {path}"
    assert "secret" not in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600
    assert str(load_global(desk.wiring.places).given.values["model"]).startswith("openai:")
    desk.store.close()


def test_a_server_that_answers_is_found_and_used(tmp_path: Path, port: int) -> None:
    desk = opened(tmp_path, {"LONGWATCH_LOCAL_SERVERS": f"Ollama={port},Nobody=1"})
    [server] = desk.welcome.servers()
    assert server == Server("Ollama", f"http://127.0.0.1:{port}/v1", ("qwen3", "llama4"))
    desk.welcome.use_server(server, "llama4")
    assert not desk.welcome.is_new()
    setup = desk.wiring.house.setup(Profile(cwd=desk.folder, dialect=""))
    assert setup.model == "local:llama4"
    assert setup.configuration.providers["local"].base_url == server.address
    assert setup.resolved["insecure_http"] == ()
    desk.store.close()


@pytest.mark.parametrize("written", ["{port}", "127.0.0.1:{port}", "http://localhost:{port}/v1/"])
def test_an_address_is_understood_as_people_write_it(
    desk: Counter, port: int, written: str
) -> None:
    server = desk.welcome.server_at(written.format(port=port))
    assert server.models == ("qwen3", "llama4")
    assert server.address.endswith(f":{port}/v1")


@pytest.mark.parametrize("written", ["", "ftp://x", "http://", "a b", "http://h:99999", "1"])
def test_what_is_no_server_is_refused(desk: Counter, written: str) -> None:
    with pytest.raises(Refused):
        desk.welcome.server_at(written)


def test_a_server_in_the_lan_is_allowed_by_name(desk: Counter) -> None:
    desk.welcome.use_server(Server("box", "http://box.lan:8080/v1"), "m")
    assert load_global(desk.wiring.places).given.values["insecure_http"] == ("box.lan",)


def test_a_configuration_that_is_there_is_never_overwritten(desk: Counter) -> None:
    path = desk.wiring.places.config_file
    path.parent.mkdir()
    path.write_text("# mine\n")
    with pytest.raises(Refused, match="it was left as it is"):
        desk.welcome.use_key("OPENAI_API_KEY")
    assert path.read_text() == "# mine\n"


# --- trust ----------------------------------------------------------------------------------


@pytest.fixture
def project(desk: Counter) -> Path:
    folder = Path(desk.folder)
    (folder / ".longwatch" / "roles").mkdir(parents=True)
    (folder / ".longwatch" / "config.yaml").write_text("max_todos: 3\n")
    (folder / ".longwatch" / "roles" / "poet.md").write_text("Rhyme.\n")
    (folder / "AGENTS.md").write_text("Use tabs.\n")
    return folder


def max_todos(desk: Counter) -> tuple[str, str]:
    [row] = [row for row in desk.settings(None) if row.key == "max_todos"]
    return row.value, row.origin.split()[0]


def test_nothing_of_a_folder_counts_before_it_is_trusted(desk: Counter, project: Path) -> None:
    assert desk.welcome.untrusted(str(project)) == (
        "AGENTS.md",
        ".longwatch/config.yaml",
        ".longwatch/roles/poet.md",
    )
    assert max_todos(desk) == ("20", "dialect")
    assert "poet" not in desk.choices(str(project)).roles
    desk.welcome.trust(str(project), trusted=True)
    assert Trust.at(desk.wiring.places).covers(project)
    assert max_todos(desk) == ("3", "project")
    assert "poet" in desk.choices(str(project)).roles
    assert desk.welcome.untrusted(str(project)) == ()


def test_a_no_is_remembered_and_can_become_a_yes(desk: Counter, project: Path) -> None:
    desk.welcome.trust(str(project), trusted=False)
    assert desk.welcome.untrusted(str(project)) == ()
    assert not Trust.at(desk.wiring.places).covers(project)
    assert max_todos(desk) == ("20", "dialect")
    desk.welcome.trust(str(project), trusted=True)
    assert max_todos(desk) == ("3", "project")
    assert desk.recall()["not_trusted"] == []


def test_a_folder_that_brings_nothing_is_not_asked_about(desk: Counter) -> None:
    assert desk.welcome.untrusted(desk.folder) == ()
