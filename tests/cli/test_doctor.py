"""`longwatch doctor`: what is there, what answers, what is wrong, and what to do about it."""

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from command_line import Home, Ran
from fault_server import NOTHING, FaultServer, Reply, refused_port
from model_replies import error

Checks = dict[tuple[str, str], dict[str, Any]]


@pytest.fixture
def home(home: Home) -> Home:
    """Nobody listens where local servers are looked for."""
    return home.having(LONGWATCH_LOCAL_SERVERS=f"Nobody={refused_port()}")


@pytest.fixture
def server(home: Home) -> Iterator[FaultServer]:
    with FaultServer() as server:
        home.serve_from(server.url)
        yield server


def checks(ran: Ran) -> Checks:
    told = json.loads(ran.out)
    assert set(told) == {"usable", "version", "checks"}
    assert told["usable"] == (ran.code == 0)
    for check in told["checks"]:
        assert set(check) == {"area", "name", "status", "detail", "remedy"}
    return {(check["area"], check["name"]): check for check in told["checks"]}


def examined(home: Home) -> Checks:
    return checks(home.inside("doctor", "--json"))


def test_a_fresh_installation_is_usable_and_nothing_is_made(home: Home) -> None:
    ran = home.command("doctor")
    assert ran.code == 0, ran.out
    assert "rehearsal:tour" in ran.out
    assert "`longwatch config init`" in ran.out
    assert ran.out.endswith("Nothing is broken.\n")
    assert not home.data.exists()
    assert list(home.config.iterdir()) == []


def test_keys_are_told_by_their_place_and_never_by_their_value(
    home: Home, server: FaultServer
) -> None:
    server.models = ["m"]
    secret = home.config / "key"
    secret.write_text("file-key-0123456789\n")
    secret.chmod(0o600)
    path = home.config / "config.yaml"
    told = json.loads(path.read_text())
    told["providers"]["filed"] = {
        "type": "openai",
        "base_url": f"{server.url}/v1",
        "api_key_file": "key",
    }
    path.write_text(json.dumps(told))
    ran = home.inside("doctor", "--json")
    found = checks(ran)
    assert found["keys", "test"]["detail"] == "found in TEST_KEY"
    assert found["keys", "filed"]["detail"] == f"found in {secret}"
    assert "there is no key: set OPENAI_API_KEY" in found["keys", "openai"]["detail"]
    for text in (ran.out, home.inside("doctor").out):
        assert home.environ["TEST_KEY"] not in text
        assert "file-key-0123456789" not in text


def test_a_provider_that_answers(home: Home, server: FaultServer) -> None:
    server.models = ["m", "n"]
    assert examined(home)["providers", "test"]["detail"] == "answers, and lists 2 models"
    (request,) = server.requests
    assert (request.method, request.path) == ("GET", "/v1/models")
    assert request.headers["authorization"].endswith(home.environ["TEST_KEY"])


def test_a_provider_that_does_not_have_the_model(home: Home, server: FaultServer) -> None:
    server.models = ["mm", "other"]
    found = examined(home)["providers", "test"]
    assert found["detail"] == "answers, and lists 2 models, but not m"
    assert found["remedy"] == "did you mean test:mm?"


FAULTS = {
    "refused key": (error("openai", 401, "bad key"), "Check the key in TEST_KEY", "a key there"),
    "no json": (Reply([b"<html>"]), "not with a list of models", "look at base_url"),
    "overloaded": (error("openai", 503, "loading"), "the server answered 503", ""),
    "redirect": (
        Reply(status=302, headers={"location": "https://other.example/"}),
        "redirects to other.example",
        "",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_the_provider_in_use_is_broken(home: Home, server: FaultServer, name: str) -> None:
    server.listing, said, remedy = FAULTS[name]
    ran = home.inside("doctor", "--json")
    assert ran.code == 1
    found = checks(ran)["providers", "test"]
    assert found["status"] == "problem"
    assert said in found["detail"]
    assert remedy in found["remedy"]


def test_a_server_without_a_list_of_models_is_only_worth_a_note(
    home: Home, server: FaultServer
) -> None:
    assert server.models is None
    ran = home.inside("doctor", "--json")
    assert ran.code == 0
    assert "answers, but has no list of models (404)" in ran.out


def test_a_provider_that_is_not_in_use_may_be_away(home: Home, server: FaultServer) -> None:
    server.listing = error("openai", 401, "bad key")
    path = home.config / "config.yaml"
    path.write_text(path.read_text().replace("test:m", "rehearsal:tour"))
    ran = home.inside("doctor", "--json")
    assert ran.code == 0
    found = checks(ran)["providers", "test"]
    assert found["status"] == "note"
    assert found["remedy"].startswith("it is not in use here")


def test_nobody_listens(home: Home) -> None:
    home.serve_from(f"http://127.0.0.1:{refused_port()}")
    ran = home.inside("doctor", "--json")
    assert ran.code == 1
    found = checks(ran)["providers", "test"]
    assert "no connection could be made" in found["detail"]
    assert found["remedy"].startswith("start the server")


def test_who_is_silent_is_not_waited_for(
    home: Home, server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longwatch.adapters.models.reaching.LOCAL_SECONDS", 0.05)
    server.listing = NOTHING
    quick = home.having(LONGWATCH_LOCAL_SERVERS=f"Slow={server.port}")
    quick.configure()
    found = examined(quick)["local servers", "none"]
    assert found["detail"] == f"no model server answers on Slow ({server.port})"


def test_the_key_that_is_missing_is_a_problem_of_the_provider_in_use(home: Home) -> None:
    home.configure(model="anthropic:claude")
    ran = home.inside("doctor", "--json")
    assert ran.code == 1
    found = checks(ran)
    assert found["keys", "anthropic"]["remedy"] == "set ANTHROPIC_API_KEY"
    assert found["keys", "openai"]["status"] == "note"


def test_local_servers_are_found_with_how_to_use_them(home: Home, server: FaultServer) -> None:
    server.models = [f"model-{k}" for k in range(7)]
    home.configure()
    near = home.having(LONGWATCH_LOCAL_SERVERS=f"Ollama={server.port},Gone={refused_port()}")
    found = examined(near)
    local = found["local servers", "Ollama"]
    assert "model-0, model-1, model-2, model-3, model-4 and 2 more" in local["detail"]
    assert f'base_url: "{server.url}/v1"' in local["remedy"]
    assert "model: local:model-0" in local["remedy"]
    assert "Gone" in found["local servers", "others"]["detail"]
    assert "authorization" not in server.requests[0].headers


def test_the_remedy_for_a_local_server_is_a_configuration_that_works(
    home: Home, server: FaultServer
) -> None:
    server.models = ["tiny"]
    home.configure()
    near = home.having(LONGWATCH_LOCAL_SERVERS=f"Ollama={server.port}")
    remedy = examined(near)["local servers", "Ollama"]["remedy"]
    advice = remedy.removeprefix("to use it, in config.yaml: ")
    (home.config / "config.yaml").write_text(advice.replace(" and model:", "\nmodel:") + "\n")
    again = examined(near)
    assert again["providers", "local"]["detail"] == "answers, and lists 1 model"
    assert again["local servers", "Ollama"]["remedy"] == "to use it: model: local:tiny"


def test_a_server_with_no_models_yet_says_null(home: Home, server: FaultServer) -> None:
    server.listing = Reply([b'{"object": "list", "data": null}'])
    home.configure()
    near = home.having(LONGWATCH_LOCAL_SERVERS=f"Ollama={server.port}")
    assert "no models yet" in examined(near)["local servers", "Ollama"]["detail"]


def test_a_wrong_configuration_exits_2_with_each_problem(home: Home) -> None:
    (home.config / "config.yaml").write_text("temprature: 1\nmodel: 5\n")
    ran = home.inside("doctor")
    assert ran.code == 2
    assert "config.yaml:1: temprature: Unknown key 'temprature'" in ran.out
    assert "config.yaml:2: model: found the number 5" in ran.out
    assert "2 problems." in ran.out


def test_hosts_for_plain_http_and_proxies_are_shown_without_passwords(home: Home) -> None:
    home.configure(insecure_http=["lan", "other.lan"])
    proxied = home.having(HTTPS_PROXY="http://me:hidden@proxy:3128", no_proxy="localhost")
    found = examined(proxied)
    assert "lan, other.lan" in found["network", "plain http"]["detail"]
    assert found["network", "HTTPS_PROXY"]["detail"] == "http://***@proxy:3128; it is honoured"
    assert "hidden" not in str(found.values())
    assert ("network", "no_proxy") in found


def test_what_is_set_and_by_what(home: Home) -> None:
    home.configure(temperature=0.5, model="rehearsal:loki")
    found = examined(home.having(LONGWATCH_TOP_P="0.5"))
    assert "temperature" in found["configuration", "what is set"]["detail"]
    assert found["configuration", "environment"]["detail"] == "it sets LONGWATCH_TOP_P"
    assert str(home.config / "config.yaml") in found["configuration", "model"]["detail"]


def test_the_store_is_looked_into_and_left_alone(home: Home) -> None:
    home.inside("sessions")
    found = examined(home)
    assert "version 1" in found["store", "store"]["detail"]
    assert "no damage" in found["store", "store"]["detail"]
    assert found["store", "sessions"]["detail"] == "0"
    assert found["store", "worker"]["detail"] == "No worker is running."


def test_a_damaged_store_is_a_problem(home: Home) -> None:
    home.data.mkdir()
    (home.data / "longwatch.db").write_bytes(b"no database at all" * 100)
    ran = home.inside("doctor", "--json")
    assert ran.code == 1
    assert checks(ran)["store", "store"]["status"] == "problem"
    assert (home.data / "longwatch.db").read_bytes() == b"no database at all" * 100


def test_a_store_that_others_can_open_is_a_problem(home: Home) -> None:
    home.inside("sessions")
    home.data.chmod(0o755)
    found = examined(home)
    assert found["store", "privacy"]["remedy"] == f"chmod 700 {home.data}"


def test_a_required_sandbox_that_is_missing_is_a_problem(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longwatch.adapters.tools.sandbox.PROGRAM", "no-such-program")
    assert examined(home)["sandbox", "bubblewrap"]["status"] == "note"
    home.configure(sandbox="required")
    ran = home.inside("doctor", "--json")
    assert ran.code == 1
    assert "or set sandbox: auto" in checks(ran)["sandbox", "bubblewrap"]["remedy"]


def test_a_terminal_is_described(home: Home) -> None:
    """Here there is none; what there would be is told from the environment."""
    plain = examined(replace(home, environ={**home.environ, "EDITOR": "vi", "NO_COLOR": "1"}))
    assert plain["terminal", "editor"]["detail"] == "vi"
    assert plain["terminal", "colours"]["detail"] == "none, as NO_COLOR is set"
    assert "no terminal" in plain["terminal", "output"]["detail"]
    assert os.environ.get("LONGWATCH_LOCAL_SERVERS") is None


def test_a_folder_with_files_of_its_own_says_whether_it_is_trusted(home: Home) -> None:
    (home.work / "AGENTS.md").write_text("Be good.")
    found = examined(home)["configuration", "this folder"]
    assert found["detail"] == "not trusted: AGENTS.md"
    assert "--trust" in found["remedy"]
