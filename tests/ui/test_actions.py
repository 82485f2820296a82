"""Every action can be found, told, remapped; no key does two things in one place."""

import importlib
import pkgutil
from pathlib import Path
from typing import Any

import pytest
from textual.dom import DOMNode
from ui_services import FakeServices, running

import longwatch.ui
from longwatch.adapters.settings.appearance import read_appearance
from longwatch.adapters.settings.places import Places
from longwatch.adapters.settings.shipped import find_shipped
from longwatch.adapters.settings.toml import read_toml
from longwatch.ui.actions import (
    bindings_of,
    by_place,
    check_keymap,
    clashes,
    collect,
    is_key,
    keymap_of,
    shown_key,
    split_keys,
)
from longwatch.ui.app import Dashboard
from longwatch.ui.looks import Looks
from longwatch.ui.places import places
from longwatch.ui.screens.help import HelpScreen

PLACES = places(Dashboard)
ACTIONS = collect(PLACES)


def ui_classes() -> list[type[DOMNode]]:
    """Every class of the dashboard's own modules that is part of a screen."""
    found: list[type[DOMNode]] = []
    for info in pkgutil.walk_packages(longwatch.ui.__path__, "longwatch.ui."):
        module = importlib.import_module(info.name)
        found += [
            value
            for value in vars(module).values()
            if isinstance(value, type)
            and issubclass(value, DOMNode)
            and value.__module__ == module.__name__
        ]
    return found


@pytest.mark.parametrize("node", ui_classes(), ids=lambda node: node.__name__)
def test_a_class_that_binds_keys_has_its_place(node: type[DOMNode]) -> None:
    known = {one for place in PLACES for one in place.classes}
    assert not bindings_of(node) or node in known


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: f"{action.where}-{action.id}")
def test_an_action_says_what_it_is(action: Any) -> None:
    assert action.id.count(".") == 1
    assert action.description
    assert action.tooltip
    assert action.keys
    assert all(is_key(key) for key in action.keys)


def test_no_two_actions_of_one_place_share_a_key() -> None:
    assert {claim: [a.id for a in rivals] for claim, rivals in clashes(ACTIONS).items()} == {}


def test_an_id_means_one_thing() -> None:
    told: dict[str, tuple[Any, ...]] = {}
    for action in ACTIONS:
        what = (action.keys, action.description, action.tooltip)
        assert told.setdefault(action.id, what) == what, action.id


def test_the_keymap_that_ships_is_what_the_code_does() -> None:
    document = read_toml(find_shipped().config / "keymap.toml")
    assert document is not None
    shipped = {
        f"{table}.{name}": split_keys(keys if isinstance(keys, str) else ",".join(keys))
        for table, actions in document.values.items()
        for name, keys in actions.items()
    }
    assert shipped == {action.id: action.keys for action in ACTIONS}
    assert keymap_of(document, ACTIONS) == ({}, [])


def test_a_key_that_is_passed_on_is_told_once() -> None:
    told = [action.id for actions in by_place(ACTIONS).values() for action in actions]
    assert sorted(told) == sorted({action.id for action in ACTIONS})
    assert "approval.once" in [action.id for action in by_place(ACTIONS)["An approval"]]


# --- keys -----------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["x", "X", "?", "/", "slash", "f12", "ctrl+n", "alt+enter", "é"])
def test_keys(key: str) -> None:
    assert is_key(key)


@pytest.mark.parametrize("key", ["", "ctl+n", "return key", "ctrl+", "f99", "control"])
def test_no_keys(key: str) -> None:
    assert not is_key(key)


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("question_mark", "?"),
        ("slash", "/"),
        ("escape", "esc"),
        ("shift+up", "shift+↑"),
        ("tab", "tab"),
        ("K", "shift+k"),
        ("ctrl+p", "ctrl+p"),
        ("space", "space"),
    ],
)
def test_a_key_is_shown_as_on_a_keyboard(key: str, shown: str) -> None:
    assert shown_key(key) == shown


# --- a person's own keys --------------------------------------------------------------------


def test_only_what_differs_is_kept() -> None:
    values = {"app": {"quit": "ctrl+q", "new": "f4"}, "checklist.done": ["x", "space"]}
    assert check_keymap(values, ACTIONS) == ({"app.new": "f4", "checklist.done": "x,space"}, [])


def test_punctuation_may_be_written_as_it_is() -> None:
    keymap, complaints = check_keymap({"app": {"search": "/", "new": ","}}, ACTIONS)
    assert (keymap, complaints) == ({"app.search": "slash", "app.new": "comma"}, [])


def test_an_unknown_action_is_told_with_the_nearest() -> None:
    keymap, [complaint] = check_keymap({"checklist": {"dne": "x"}}, ACTIONS)
    assert keymap == {}
    assert (complaint.key, complaint.nearest) == ("checklist.dne", "checklist.done")


@pytest.mark.parametrize("value", ["", "ctl+x", 7, [], [""], ["x", 3], {}, True])
def test_what_is_no_key_is_told(value: Any) -> None:
    keymap, [complaint] = check_keymap({"app": {"quit": value}}, ACTIONS)
    assert keymap == {}
    assert complaint.key == "app.quit"


def test_a_key_that_is_taken_there_is_told_and_not_used() -> None:
    keymap, [complaint] = check_keymap({"checklist": {"done": "b"}}, ACTIONS)
    assert keymap == {}
    assert "checklist.block" in complaint.found


def test_two_keys_may_be_swapped() -> None:
    values = {"checklist": {"done": "b", "block": "space"}}
    wanted = {"checklist.done": "b", "checklist.block": "space"}
    assert check_keymap(values, ACTIONS) == (wanted, [])


def test_a_swap_of_which_one_half_is_wrong_is_not_done_by_half() -> None:
    values = {"checklist": {"done": "b", "block": "u"}}
    keymap, complaints = check_keymap(values, ACTIONS)
    assert keymap == {}
    assert {one.key for one in complaints} == {"checklist.done", "checklist.block"}


def test_the_same_key_in_another_place_is_free() -> None:
    assert check_keymap({"help": {"close": "b"}}, ACTIONS) == ({"help.close": "b"}, [])


async def test_a_key_of_ones_own_works_and_the_old_one_does_not(tmp_path: Path) -> None:
    (tmp_path / "keymap.toml").write_text('[app]\nhelp = "f9"\nquitt = "x"\n')
    source = read_appearance(Places(tmp_path, tmp_path), find_shipped()).keymap
    assert source is not None
    keymap, complaints = keymap_of(source, ACTIONS)
    place = f"{tmp_path / 'keymap.toml'}:3: app.quitt"
    hint = "did you mean 'app.quit'?"
    assert complaints == [f"{place}: found an unknown action, accepted an action's id; {hint}"]
    services = FakeServices(tmp_path)
    running(services, "s1", "auth")
    app = Dashboard(services, looks=Looks(keymap=keymap, complaints=tuple(complaints)))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert [notice.message for notice in app._notifications] == complaints
        await pilot.press("f1")
        assert not isinstance(app.screen, HelpScreen)
        await pilot.press("f9")
        assert isinstance(app.screen, HelpScreen)
    services.close()


async def test_a_key_of_ones_own_comes_before_those_of_a_text_box(services: FakeServices) -> None:
    running(services, "s1", "auth")
    keymap = {"app.next_pane": "f6", "app.sidebar": "tab", "app.checklist": "ctrl+a"}
    app = Dashboard(services, looks=Looks(keymap=keymap))
    async with app.run_test(size=(160, 48)) as pilot:
        assert app.main is not None
        await pilot.press("ctrl+a")
        assert app.main.has_class("-checklist")
        await pilot.press(*"/x")
        assert app.main.box.text == "/x"
        await pilot.press("f6")
        assert app.focused is app.main.sessions
        await pilot.press("tab")
        assert app.main.sessions.has_class("-hidden")


async def test_every_pane_is_reached_with_tab(services: FakeServices) -> None:
    running(services, "s1", "auth")
    app = Dashboard(services)
    async with app.run_test(size=(160, 48)) as pilot:
        assert app.main is not None
        there = [app.focused]
        for _ in range(3):
            await pilot.press("tab")
            there.append(app.focused)
        panes = [app.main.sessions, app.main.conversation, app.main.checklist]
        assert there[1:] == panes
        await pilot.press("tab")
        assert app.focused is there[0]
        await pilot.press("shift+tab")
        assert app.focused is app.main.checklist


async def test_the_sessions_are_hidden_and_shown(services: FakeServices) -> None:
    running(services, "s1", "auth")
    app = Dashboard(services)
    async with app.run_test(size=(160, 48)) as pilot:
        assert app.main is not None
        for hidden in (True, False):
            await pilot.press("ctrl+b")
            await pilot.pause()
            assert app.main.sessions.display is not hidden


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: f"{action.where}-{action.id}")
def test_every_key_has_a_name_to_be_shown(action: Any) -> None:
    assert all(shown_key(key).strip() and shown_key(key).isprintable() for key in action.keys)
