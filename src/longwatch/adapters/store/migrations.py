"""Bringing an older store to the present schema: copy first, then all steps or none."""

from pathlib import Path

import apsw

from longwatch.adapters.store.database import connection
from longwatch.adapters.store.faults import FAULTS, told
from longwatch.adapters.store.files import make_private_file
from longwatch.adapters.store.schema import Schema
from longwatch.engine.storing import StoreUnusable


def migrate(path: Path, version: int, schema: Schema) -> Path:
    """Lead a store from its version to the schema's; returns the copy of how it was."""
    steps = range(version, schema.version)
    if missing := [step for step in steps if step not in schema.steps]:
        raise StoreUnusable(
            f"The store {path} has version {version}, and nothing leads on from version "
            f"{missing[0]}. It was left as it is. Use an older longwatch, or choose another store."
        )
    try:
        old = connection(path)
        try:
            return _advanced(old, path, schema, steps)
        finally:
            old.close()
    except FAULTS as error:
        raise told(error, path) from error
    except apsw.Error as error:
        raise StoreUnusable(
            f"The store {path} could not be brought from version {version} to {schema.version} "
            f"({error}). It was left as it is. Use an older longwatch, or choose another store."
        ) from error


def _advanced(old: apsw.Connection, path: Path, schema: Schema, steps: range) -> Path:
    old.execute("PRAGMA synchronous = FULL")
    # From here on nobody else writes, so that the copy lacks nothing of what is changed.
    old.execute("BEGIN IMMEDIATE")
    try:
        copy = _copied(path, steps.start)
        for step in steps:
            schema.steps[step](old)
        # A process of the older version that still runs knows the old tables only. Without its
        # leases it can append nothing more.
        old.execute("UPDATE leases SET held = 0")
        old.pragma("user_version", schema.version)
        old.execute("COMMIT")
    finally:
        if old.in_transaction:
            old.execute("ROLLBACK")
    return copy


def _copied(path: Path, version: int) -> Path:
    copy = _free_name(path, version)
    try:
        source = connection(path, readonly=True)
        target = apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            with target.backup("main", source, "main") as backup:
                while not backup.done:
                    backup.step(1000)
        finally:
            target.close()
            source.close()
    except apsw.Error:
        copy.unlink()
        raise
    return copy


def _free_name(path: Path, version: int) -> Path:
    """The first name of a copy that is not taken, with an empty file made there."""
    number = 1
    while True:
        copy = path.with_name(f"{path.name}.v{version}-{number}.bak")
        try:
            make_private_file(copy)
        except FileExistsError:
            number += 1
        else:
            return copy
