"""Loading config.yaml, roles, agents and projects: what wins, what is refused, what is found."""

from pathlib import Path

import pytest

from longwatch.adapters.settings.files import Library, load_global, load_project
from longwatch.adapters.settings.places import Places
from longwatch.adapters.settings.problems import Problems
from longwatch.adapters.settings.shipped import Shipped

SAFETY = {
    "approval": "auto",
    "sandbox": "off",
    "sandbox_network": "true",
    "insecure_http": "[lan]",
    "providers": "{a: {type: openai}}",
    "models": "{'a:b': {context: 5}}",
}


class Home:
    """A user's folders, what ships, and a project, all empty."""

    def __init__(self, root: Path) -> None:
        self.places = Places(root / "config", root / "data")
        self.shipped = Shipped(root / "shipped", root / "themes")
        self.project = root / "project"
        self.project.mkdir()

    def library(self, *, project: bool = False) -> Library:
        return Library(self.places, self.shipped, self.project if project else None)

    def write(self, path: Path, text: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_without_a_file_nothing_is_set(home: Home) -> None:
    loaded = load_global(home.places)
    assert (loaded.given.values, loaded.providers, loaded.models) == ({}, {}, {})


def test_the_global_file(home: Home) -> None:
    path = home.write(home.places.config_file, "maxWakeCycles: 3\nsandbox: off\nmodel: null\n")
    given = load_global(home.places).given
    assert given.values == {"max_auto_continues": 3, "sandbox": "off"}
    assert given.file == str(path)


def test_a_role(home: Home) -> None:
    path = home.write(
        home.places.config / "roles" / "poet.md",
        "---\nname: The Poet\ntemperature: 1.5\nmodel:\n---\n\nYou rhyme.\n\nAlways.\n",
    )
    role = home.library().load_role("poet")
    assert (role.name, role.title, role.prompt) == ("poet", "The Poet", "You rhyme.\n\nAlways.")
    assert role.given.values == {"temperature": 1.5}
    assert (role.given.file, role.given.name) == (str(path), "poet")


@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        ("Just a prompt.", "Just a prompt."),
        ("---\nprompt: From the front.\n---\n", "From the front."),
        ("---\nprompt: From the front.\n---\nThe body.\n", "The body."),
        ("---\nname: x\n---\n", ""),
        ("", ""),
    ],
)
def test_a_roles_prompt_is_its_body_or_else_its_key(home: Home, text: str, prompt: str) -> None:
    home.write(home.places.config / "roles" / "x.md", text)
    assert home.library().load_role("x").prompt == prompt


def test_an_agent(home: Home) -> None:
    path = home.write(
        home.places.config / "agents" / "ops" / "config.yaml",
        "model: openai:gpt-4o\ndescription: Looks after things.\ninstructions: |\n  You look.\n"
        "tools: [shell, read_file]\nschedule: '0 9 * * 1-5'\nmax_wake_cycles: 5\n"
        "conversation_starters:\n  - What is up?\n  - 'Check: disks'\n",
    )
    agent = home.library().load_agent("ops")
    assert (agent.name, agent.title, agent.description) == ("ops", "ops", "Looks after things.")
    assert agent.instructions == "You look."
    assert agent.conversation_starters == ("What is up?", "Check: disks")
    assert agent.given.values == {
        "model": "openai:gpt-4o",
        "enabled_tools": ("shell", "read_file"),
        "schedule": "0 9 * * 1-5",
        "max_auto_continues": 5,
    }
    assert (agent.given.file, agent.given.name) == (str(path), "ops")


@pytest.mark.parametrize(
    ("tools", "enabled"),
    [
        ("tools: all", {"enabled_tools": "all"}),
        ("tools: none", {"enabled_tools": "none"}),
        ("tools: []", {"enabled_tools": "none"}),
        ("tools: shell, search", {"enabled_tools": ("shell", "search")}),
        ("enabled_tools: shell", {"enabled_tools": ("shell",)}),
        ("tools:", {}),
    ],
)
def test_an_agents_tools(home: Home, tools: str, enabled: dict[str, object]) -> None:
    home.write(home.places.config / "agents" / "x" / "config.yaml", tools)
    assert home.library().load_agent("x").given.values == enabled


def test_the_users_own_come_before_a_projects_and_what_ships(home: Home) -> None:
    own = home.places.config / "roles"
    brought = home.project / ".longwatch" / "roles"
    shipped = home.shipped.config / "roles"
    for folder, names in ((own, "a"), (brought, "ab"), (shipped, "abc")):
        for name in names:
            home.write(folder / f"{name}.md", folder.parent.name)
    library = home.library(project=True)
    prompts = {name: library.load_role(name).prompt for name in "abc"}
    assert prompts == {"a": "config", "b": ".longwatch", "c": "shipped"}
    assert list(library.roles().values()) == [own / "a.md", brought / "b.md", shipped / "c.md"]
    assert home.library().load_role("b").prompt == "shipped"
    assert home.library().roles()["b"] == shipped / "b.md"


def test_what_there_is(home: Home) -> None:
    for name in ("b.md", "a.md", "notes.txt", ".hidden.md", "sp ace.md"):
        home.write(home.places.config / "roles" / name, "")
    for name in ("x/config.yaml", "empty/readme", "y/config.yaml"):
        home.write(home.shipped.config / "agents" / name, "")
    assert list(home.library().roles()) == ["a", "b"]
    assert list(home.library().agents()) == ["x", "y"]


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../x", "a/b", "/etc/passwd", "a\0b", "~", ".hidden", "a b", "x" * 65, "a\n"],
)
def test_a_name_with_a_path_in_it_is_refused(home: Home, name: str) -> None:
    home.write(home.places.config / "x.md", "secret")
    for load in (home.library().load_role, home.library().load_agent):
        with pytest.raises(Problems, match="a name of letters, digits"):
            load(name)


def test_a_name_too_long_for_the_disk(home: Home) -> None:
    with pytest.raises(Problems):
        home.library().load_role("\U00020000" * 64)
    with pytest.raises(Problems):
        home.library().load_agent("\U00020000" * 64)


def test_a_missing_one_names_those_there_are(home: Home) -> None:
    home.write(home.shipped.config / "roles" / "coder.md", "")
    with pytest.raises(Problems) as refused:
        home.library().load_role("codr")
    assert str(refused.value) == "role: found 'codr', accepted one of coder; did you mean 'coder'?"
    with pytest.raises(Problems, match="agent: found 'x', accepted no agent: there is none"):
        home.library().load_agent("x")


def test_a_project(home: Home) -> None:
    path = home.write(home.project / ".longwatch" / "config.yaml", "dialect: loki\nmodel: a:b\n")
    home.write(home.project / "AGENTS.md", "\nUse tabs.\n")
    project = load_project(home.project)
    assert project.given.values == {"dialect": "loki", "model": "a:b"}
    assert project.given.file == str(path)
    assert project.instructions == {"AGENTS.md": "Use tabs."}


def test_an_empty_project(home: Home) -> None:
    project = load_project(home.project)
    assert (project.given.values, project.instructions) == ({}, {})


@pytest.mark.parametrize("key", SAFETY)
def test_a_project_cannot_set_what_is_the_persons(home: Home, key: str) -> None:
    text = f"stream: true\n{key}: {SAFETY[key]}\n"
    path = home.write(home.project / ".longwatch" / "config.yaml", text)
    with pytest.raises(Problems) as refused:
        load_project(home.project)
    (problem,) = refused.value.problems
    assert (problem.file, problem.line, problem.key) == (str(path), 2, key)
    assert problem.found == "it in a project"
    assert problem.accepted.startswith("only in")


@pytest.mark.parametrize("key", ["approval", "sandbox", "sandbox_network", "insecure_http"])
def test_nor_can_its_roles_and_agents(home: Home, key: str) -> None:
    folder = home.project / ".longwatch"
    home.write(folder / "roles" / "x.md", f"---\n{key}: {SAFETY[key]}\n---\n")
    home.write(folder / "agents" / "x" / "config.yaml", f"{key}: {SAFETY[key]}\n")
    library = home.library(project=True)
    with pytest.raises(Problems, match="found it in a role of a project, accepted only in: a flag"):
        library.load_role("x")
    with pytest.raises(Problems, match="found it in an agent of a project, accepted only in"):
        library.load_agent("x")
    home.write(home.places.config / "roles" / "x.md", f"---\n{key}: {SAFETY[key]}\n---\n")
    assert key in library.load_role("x").given.values


def test_a_projects_links_may_not_leave_it(home: Home) -> None:
    secret = home.write(home.project.parent / "secret", "key: value\n")
    inside = home.write(home.project / "shared.md", "Inside.")
    folder = home.project / ".longwatch"
    (folder / "roles").mkdir(parents=True)
    (folder / "roles" / "out.md").symlink_to(secret)
    (folder / "roles" / "in.md").symlink_to(inside)
    (folder / "roles" / "loop.md").symlink_to("loop.md")
    library = home.library(project=True)
    assert library.load_role("in").prompt == "Inside."
    with pytest.raises(Problems, match="a link that leaves the project"):
        library.load_role("out")
    with pytest.raises(Problems, match="a link that leads to itself"):
        library.load_role("loop")
    (home.project / "AGENTS.md").symlink_to(secret)
    with pytest.raises(Problems, match="a link that leaves the project"):
        load_project(home.project)
    (home.project / "AGENTS.md").unlink()
    (folder / "config.yaml").symlink_to(secret)
    with pytest.raises(Problems, match="a link that leaves the project"):
        load_project(home.project)


def test_loading_writes_nothing(home: Home, tmp_path: Path) -> None:
    load_global(home.places)
    home.library(project=True).roles()
    load_project(home.project)
    assert [path.name for path in tmp_path.iterdir()] == ["project"]
