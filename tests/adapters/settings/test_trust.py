"""Trust is given to a real path, once, and remembered privately."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from longwatch.adapters.settings.places import Places
from longwatch.adapters.settings.problems import Problems
from longwatch.adapters.settings.trust import MOST_LISTED, Trust, would_activate


@pytest.fixture
def trust(tmp_path: Path) -> Trust:
    return Trust.at(Places(tmp_path / "config", tmp_path / "data"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def test_nothing_is_trusted_and_looking_writes_nothing(trust: Trust, project: Path) -> None:
    assert not trust.covers(project)
    assert trust.folders() == ()
    assert not trust.file.parent.exists()


def test_it_is_remembered_and_forgotten(trust: Trust, project: Path) -> None:
    trust.add(project)
    trust.add(project)
    assert Trust(trust.file).covers(project)
    assert trust.folders() == (project,)
    assert stat.S_IMODE(trust.file.stat().st_mode) == 0o600
    assert stat.S_IMODE(trust.file.parent.stat().st_mode) == 0o700
    trust.remove(project)
    assert not trust.covers(project)


def test_it_covers_the_real_path_only(trust: Trust, project: Path) -> None:
    link = project.with_name("link")
    link.symlink_to(project)
    trust.add(link)
    assert trust.folders() == (project,)
    assert trust.covers(link)
    inner = project / "inner"
    inner.mkdir()
    assert not trust.covers(inner)
    assert not trust.covers(project.parent)
    link.unlink()
    link.symlink_to(inner)
    assert not trust.covers(link)


def test_a_folder_that_is_not_there_cannot_be_trusted(trust: Trust, project: Path) -> None:
    with pytest.raises(FileNotFoundError):
        trust.add(project / "none")
    (project / "loop").symlink_to("loop")
    assert not trust.covers(project / "loop")


def test_a_name_that_is_no_text(trust: Trust, project: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(project) + b"/\xff\n"))
    folder.mkdir()
    trust.add(folder)
    assert trust.covers(folder)
    assert not trust.covers(project)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"trusted": "/"}', '{"trusted": [1]}', '{"trusted": ["a"]}', "[" * 9999],
)
def test_a_file_that_is_not_ours_is_refused_and_kept(
    trust: Trust, project: Path, text: str
) -> None:
    trust.file.parent.mkdir()
    trust.file.write_text(text)
    for look in (trust.covers, trust.add, trust.remove):
        with pytest.raises(Problems, match="remove the file to be asked again"):
            look(project)
    assert trust.file.read_text() == text


def test_many_at_once_forget_nobody(trust: Trust, project: Path) -> None:
    folders = [project / str(number) for number in range(20)]
    for folder in folders:
        folder.mkdir()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(trust.add, folders))
    assert set(trust.folders()) == set(folders)


def test_what_a_folder_would_activate(project: Path) -> None:
    assert would_activate(project) == ()
    (project / "AGENTS.md").write_text("")
    for name in ("roles", "agents/helper", "agents/empty"):
        (project / ".longwatch" / name).mkdir(parents=True)
    for name in ("config.yaml", "roles/b.md", "roles/a.md", "agents/helper/config.yaml", "x"):
        os.mkfifo(project / ".longwatch" / name)  # read, it would never answer
    assert would_activate(project) == (
        "AGENTS.md",
        ".longwatch/config.yaml",
        ".longwatch/roles/a.md",
        ".longwatch/roles/b.md",
        ".longwatch/agents/helper/config.yaml",
    )


def test_a_very_long_list_is_cut(project: Path) -> None:
    roles = project / ".longwatch" / "roles"
    roles.mkdir(parents=True)
    for number in range(MOST_LISTED + 5):
        (roles / f"r{number:03}.md").touch()
    listed = would_activate(project)
    assert len(listed) == MOST_LISTED + 1
    assert listed[-1] == "and 5 more"


def test_a_name_that_no_folder_has_is_not_trusted(trust: Trust) -> None:
    nowhere = Path("/a\0b")
    assert not trust.covers(nowhere)
    with pytest.raises(OSError, match="null"):
        trust.add(nowhere)


def test_commands_without_a_sandbox_are_another_matter(tmp_path: Path, project: Path) -> None:
    places = Places(tmp_path / "config", tmp_path / "data")
    Trust.unsandboxed(places).add(project)
    assert Trust.unsandboxed(places).covers(project)
    assert not Trust.at(places).covers(project)
