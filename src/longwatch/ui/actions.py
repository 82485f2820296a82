"""Every action of the dashboard with its keys, from the classes that bind them."""

import string
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.keys import Keys, _character_to_key

from longwatch.ui.complaint import Complaint, Source, nearest, shown

A_KEY = "a key such as 'ctrl+n', 'f2' or 'x', several in a list"
MODIFIERS = frozenset({"ctrl", "shift", "alt", "super", "hyper", "meta"})
SYMBOLS = {
    "escape": "esc",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "delete": "del",
}
CHARACTERS = {_character_to_key(character): character for character in string.punctuation}
"""Punctuation by the names that Textual has for it."""


class Place(msgspec.Struct, frozen=True):
    """Where keys apply, and the classes that bind them there."""

    title: str
    classes: tuple[type[DOMNode], ...]


class Action(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a key does."""

    id: str
    keys: tuple[str, ...]
    description: str
    tooltip: str
    where: str


Keymap = Mapping[str, str]
"""Keys by action id, comma separated."""


# --- collecting -----------------------------------------------------------------------------


def bindings_of(node: type[DOMNode]) -> list[Binding]:
    """The bindings that a class itself declares, not those of Textual's classes below it."""
    declared: Sequence[BindingType] = node.__dict__.get("BINDINGS", ())
    return [one if isinstance(one, Binding) else Binding(*one) for one in declared]


def collect(places: Iterable[Place], keymap: Keymap | None = None) -> tuple[Action, ...]:
    """All actions, place by place; those bound by several classes of one place come once."""
    keymap = keymap or {}
    found: dict[tuple[str, str], Action] = {}
    for place in places:
        for binding in (one for node in place.classes for one in bindings_of(node)):
            action = Action(
                id=binding.id or "",
                keys=split_keys(keymap.get(binding.id or "", binding.key)),
                description=binding.description,
                tooltip=binding.tooltip,
                where=place.title,
            )
            found.setdefault((place.title, action.id or binding.action), action)
    return tuple(found.values())


def by_place(actions: Sequence[Action]) -> dict[str, list[Action]]:
    """Each action once: where one place passes a key on to another, the other has it."""
    last = {action.id: action for action in actions}
    places: dict[str, list[Action]] = {}
    for action in actions:
        if last[action.id] is action:
            places.setdefault(action.where, []).append(action)
    return places


def clashes(actions: Iterable[Action]) -> dict[tuple[str, str], list[Action]]:
    """The actions that share a key in one place, by place and key."""
    claims: dict[tuple[str, str], list[Action]] = {}
    for action in actions:
        for key in action.keys:
            claims.setdefault((action.where, key), []).append(action)
    return {claim: rivals for claim, rivals in claims.items() if len(rivals) > 1}


# --- keys -----------------------------------------------------------------------------------


def split_keys(keys: str) -> tuple[str, ...]:
    """The single keys of a binding, each by its one name."""
    return tuple(_named(key.strip()) for key in keys.split(",") if key.strip())


def is_key(key: str) -> bool:
    """Whether a terminal may send this."""
    *modifiers, last = _named(key).split("+")
    if not all(modifier in MODIFIERS for modifier in modifiers):
        return False
    return len(last) == 1 or last in CHARACTERS or last in {one.value for one in Keys}


def shown_key(key: str) -> str:
    """A key as it stands on a keyboard."""
    *modifiers, last = key.split("+")
    if not modifiers and len(last) == 1 and last.isupper():
        return f"shift+{last.lower()}"
    return "+".join((*modifiers, SYMBOLS.get(last) or CHARACTERS.get(last, last)))


def _named(key: str) -> str:
    """Punctuation by its name, as Textual knows it."""
    return _character_to_key(key) if len(key) == 1 else key


# --- a person's own keys --------------------------------------------------------------------


def give_up_keys(node: DOMNode, keymap: Keymap) -> None:
    """Take from a widget the keys that it has from Textual and a person gave to all places."""
    everywhere = (keys for name, keys in keymap.items() if name.startswith("app."))
    bound = node._bindings.key_to_bindings
    for key in (key for keys in everywhere for key in split_keys(keys)):
        ours = [binding for binding in bound.pop(key, []) if binding.id]
        if ours:
            bound[key] = ours


def keymap_of(source: Source, actions: Sequence[Action]) -> tuple[dict[str, str], list[str]]:
    """The keys that differ from the default, and what is wrong with the rest."""
    keymap, complaints = check_keymap(source.values, actions)
    return keymap, [complaint.within(source) for complaint in complaints]


def check_keymap(
    values: Mapping[str, Any], actions: Sequence[Action]
) -> tuple[dict[str, str], list[Complaint]]:
    """What of a keymap can be used. An entry that is wrong keeps its default."""
    usual = {action.id: action.keys for action in actions}
    wanted: dict[str, tuple[str, ...]] = {}
    complaints: list[Complaint] = []
    for name, value in _flat(values):
        keys = _keys(value)
        if name not in usual:
            complaints.append(
                Complaint(name, "an unknown action", "an action's id", nearest(name, usual))
            )
        elif keys is None or not all(is_key(key) for key in keys):
            complaints.append(Complaint(name, shown(value), A_KEY))
        elif keys != usual[name]:
            wanted[name] = keys
    complaints += _drop_clashing(wanted, actions)
    return {name: ",".join(keys) for name, keys in wanted.items()}, complaints


def _drop_clashing(
    wanted: dict[str, tuple[str, ...]], actions: Sequence[Action]
) -> list[Complaint]:
    """Take out what would leave another action without its key; swapping two keys is fine."""
    complaints: list[Complaint] = []
    while True:
        placed = [
            msgspec.structs.replace(one, keys=wanted.get(one.id, one.keys)) for one in actions
        ]
        clashing = {
            rival.id: (key, next(one.id for one in rivals if one.id != rival.id))
            for (_, key), rivals in clashes(placed).items()
            for rival in rivals
            if rival.id in wanted
        }
        if not clashing:
            return complaints
        for name, (key, other) in clashing.items():
            del wanted[name]
            found = f"'{key}', which is also {other}'s"
            complaints.append(Complaint(name, found, "a key that is free there"))


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    """Tables and dotted keys are the same here."""
    for key, value in values.items():
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _keys(value: Any) -> tuple[str, ...] | None:
    if isinstance(value, str):
        value = [value] if value == "," else value.split(",")
    if not isinstance(value, list) or not value:
        return None
    if not all(isinstance(key, str) and key.strip() for key in value):
        return None
    return tuple(_named(key.strip()) for key in value)
