"""`export` and `import`: a session as JSON lines, as YAML, or as a page to read."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from longwatch.adapters.settings.layers import from_record
from longwatch.adapters.settings.problems import Problems
from longwatch.adapters.settings.sessions import SessionFile, parse_session, print_session
from longwatch.adapters.store.process import this_process
from longwatch.checklist import Checklist, millis
from longwatch.commands.choosing import chosen
from longwatch.commands.failure import CommandFailed
from longwatch.commands.running import Task, first_event
from longwatch.dialects import DIALECTS
from longwatch.discipline.todos import changed_event
from longwatch.engine.opening import checkpoint_of, events_of, state_of
from longwatch.engine.storing import Batch, LeaseHeld, Readable, Record
from longwatch.engine.summary import summarize
from longwatch.engine.visible import printable
from longwatch.headless import checklist_lines, first_line
from longwatch.session import (
    AnyEvent,
    KnownEvent,
    NotAnEvent,
    SessionState,
    UnknownEvent,
    decode,
    encode,
    fold,
)
from longwatch.session.events import (
    AssistantMessage,
    AutoContinuing,
    Injected,
    SettingsChanged,
    StateChanged,
    ToolFinished,
    ToolStarted,
    UserMessage,
)
from longwatch.wiring import Wiring

FORMATS = ("jsonl", "yaml", "md")


def export(store: Readable, name: str, form: str) -> bytes:
    session = chosen(store, name)
    match form:
        case "jsonl":
            return b"".join(record.body + b"\n" for record in store.records(session))
        case "yaml":
            return _as_yaml(store, session).encode()
        case "md":
            state = state_of(store, session)
            return "\n".join(_as_page(state, events_of(store, session))).encode()
        case _:
            raise CommandFailed(f"Unknown format {form!r}; use one of: {', '.join(FORMATS)}.")


def _as_yaml(store: Readable, session: str) -> str:
    """The title and settings are for a person to read; the events hold them as they are."""
    profile = state_of(store, session).profile
    events = [msgspec.json.decode(record.body) for record in store.records(session)]
    settings = from_record(profile.settings).values
    return print_session(printable(profile.title), settings, events)


def _as_page(state: SessionState, events: Iterator[AnyEvent]) -> Iterator[str]:
    yield f"# {state.profile.title}"
    names: dict[str, str] = {}
    for event in events:
        match event:
            case UserMessage():
                yield from ("", "## Person", "", event.text)
            case AssistantMessage() if event.text:
                yield from ("", "## Model", "", event.text)
            case ToolStarted():
                names[event.call] = event.name
            case ToolFinished():
                mark = "✓" if event.ok else "✗"
                name = names.get(event.call, "call")
                yield from ("", f"- {mark} `{name}`: {first_line(event.output)}")
            case AutoContinuing():
                yield from ("", f"*{event.text}*")
            case Injected() if event.source != "continuation":
                yield from ("", f"*Told the model: {event.source}*")
            case StateChanged() if event.reason:
                yield from ("", f"*{event.state}: {event.reason}*")
            case _:
                pass
    listed = checklist_lines(state.checklist)
    if listed:
        yield from ("", "## Checklist", "", "```", *listed[1:], "```")
    yield ""


def import_file(wiring: Wiring, path: Path) -> str:
    """Make a session of a file; returns its id. Nothing is kept if anything is wrong."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CommandFailed(f"{path} cannot be read: {error.strerror or error}") from error
    if path.suffix in (".yaml", ".yml"):
        return _import_yaml(wiring, path, data)
    records = [Record(k, "", line) for k, line in enumerate(data.splitlines(), start=1) if line]
    return _keep(wiring, str(path), [record.body for record in records])


def _import_yaml(wiring: Wiring, path: Path, data: bytes) -> str:
    try:
        told = parse_session(data.decode(), str(path))
    except Problems as problems:
        raise CommandFailed(str(problems)) from problems
    except UnicodeDecodeError as error:
        raise CommandFailed(f"{path} is not UTF-8 text.") from error
    if told.events:
        return _keep(wiring, str(path), [msgspec.json.encode(event) for event in told.events])
    return _new_from(wiring, told)


def _new_from(wiring: Wiring, told: SessionFile) -> str:
    """A session of settings alone, ready for its first message."""
    task = Task(text="", cwd=Path.cwd(), session=told.title or "imported")
    started = first_event(wiring, task, attended=True)
    session = wiring.ids.new()
    own = dict(told.settings)
    started = replace(
        started,
        model=own.pop("model", None) or started.model,
        dialect=own.pop("dialect", None) or started.dialect,
    )
    events: list[KnownEvent] = [started]
    events += [SettingsChanged(key=key, value=value, by="human") for key, value in own.items()]
    stamped = [
        replace(event, seq=seq, at=wiring.clock.now(), session=session)
        for seq, event in enumerate(events, start=1)
    ]
    return _keep(wiring, "the file", [encode(event) for event in stamped])


def _keep(wiring: Wiring, source: str, bodies: Sequence[bytes]) -> str:
    events = _decoded(source, bodies)
    session = events[0].session
    store = wiring.store
    if store.summary(session) is not None:
        raise CommandFailed(f"Session {session} is in the store already; delete it first.")
    try:
        lease = store.acquire(session, this_process(), wiring.clock.wall())
    except LeaseHeld as held:
        raise CommandFailed(str(held)) from held
    try:
        renumbered = _own_ids(wiring, events)
        everything = [*events, *renumbered]
        state = fold(everything)
        records = [Record(e.seq, _type(e), b) for e, b in zip(events, bodies, strict=True)]
        records += [Record(e.seq, _type(e), encode(e)) for e in renumbered]
        batch = Batch(
            lease=lease,
            records=records,
            summary=summarize(state, events[0].at),
            checkpoint=checkpoint_of(state),
        )
        error = store.append([batch])[0]
    finally:
        store.release(lease)
    if error is not None:
        raise CommandFailed(f"Nothing was imported: {error}", 1) from error
    return session


def _decoded(source: str, bodies: Sequence[bytes]) -> list[AnyEvent]:
    events: list[AnyEvent] = []
    for line, body in enumerate(bodies, start=1):
        try:
            event = decode(body)
        except NotAnEvent as error:
            raise CommandFailed(f"{source}:{line}: not an event: {error}") from error
        if not _is_time(event.at):
            raise CommandFailed(f"{source}:{line}: {event.at!r} is not a time.")
        if event.seq != line or (events and event.session != events[0].session):
            raise CommandFailed(f"{source}:{line}: not the next event of one session.")
        events.append(event)
    if not events or _type(events[0]) != "session_started":
        raise CommandFailed(f"{source}: it holds no session (no session_started).")
    return events


def _is_time(at: str) -> bool:
    try:
        millis(at)
    except ValueError:
        return False
    return True


def _type(event: AnyEvent) -> str:
    return event.type if isinstance(event, UnknownEvent) else str(event.__struct_config__.tag)


def _own_ids(wiring: Wiring, events: Sequence[AnyEvent]) -> list[KnownEvent]:
    """New ids for items whose numbers this store may have given to others."""
    state = fold(events)
    dialect = DIALECTS.get(state.profile.dialect)
    items = state.checklist.items
    if dialect is None or dialect.conventions.numbering != "store" or not items:
        return []
    first = wiring.store.take_ids(len(items))
    renumbered = tuple(replace(item, id=first + k) for k, item in enumerate(items))
    changed = Checklist(goal=state.checklist.goal, items=renumbered)
    event = changed_event(changed, by="system", action="import")
    return [replace(event, seq=state.seq + 1, at=wiring.clock.now(), session=state.session)]
