"""The reference of all settings, made from their declaration: python -m …settings.document."""

import json
import sys
from pathlib import Path

from longwatch.adapters.settings.declared import SETTINGS
from longwatch.adapters.settings.kinds import spell
from longwatch.adapters.settings.providers import FIELDS
from longwatch.adapters.settings.schema import json_schema
from longwatch.adapters.settings.setting import GROUPS, LAYERS, Setting
from longwatch.dialects import DIALECTS

HEAD = """# Settings

Made from the declarations by `python -m longwatch.adapters.settings.document`; do not edit.

A value comes from the highest layer that sets it: flag, agent, session, role, project, global,
the dialect's default, the default. A key that is absent or `null` falls through.
`longwatch config show` prints each value and where it comes from.

| layer | where |
|---|---|
| flag | `longwatch run --set KEY=VALUE`, `--model`, `--approval` … |
| agent | `agents/NAME/config.yaml` |
| session | `.set KEY VALUE` |
| role | `roles/NAME.md`, between the `---` lines |
| project | `.longwatch/config.yaml` in a folder that you have trusted |
| global | `config.yaml`, or the variable `LONGWATCH_` and the key in capitals, which wins |
"""
PROVIDERS = """
## Providers and models

Only in your own `config.yaml`. `model: NAME:MODEL` chooses a provider by its name.

```yaml
# config.yaml
providers:
  nearby:
    type: openai
    base_url: http://127.0.0.1:8080/v1
    context: 32768
models:
  openai:gpt-4o:
    context: 128000
    prices: {input: 2.5, output: 10, cached: 1.25}
```

| key of a provider | meaning |
|---|---|
"""


def settings_page() -> str:
    """docs/settings.md as it should be."""
    parts = [HEAD]
    for group, title in GROUPS.items():
        parts.append(
            f"\n## {title}\n\n| setting | accepted | default | meaning |\n|---|---|---|---|\n"
        )
        parts.extend(_row(s) for s in SETTINGS.values() if s.group == group)
    parts.append(_dialect_table())
    parts.append(PROVIDERS)
    parts.extend(f"| `{name}` | {sentence} |\n" for name, sentence in FIELDS.items())
    return "".join(parts)


def _row(setting: Setting) -> str:
    default = "by dialect" if _differs(setting) else f"`{spell(setting.default)}`"
    notes = [setting.sentence]
    if setting.aliases:
        notes.append(f"Also {' and '.join(f'`{alias}`' for alias in setting.aliases)}.")
    if setting.layers != LAYERS:
        left = [layer for layer in LAYERS if layer not in setting.layers]
        notes.append(f"Not from: {', '.join(left)}.")
    return f"| `{setting.name}` | {setting.kind.accepted} | {default} | {' '.join(notes)} |\n"


def _differs(setting: Setting) -> bool:
    """Whether at least one dialect has a default of its own."""
    return setting.by_dialect and any(
        getattr(dialect.defaults, setting.name) != setting.default for dialect in DIALECTS.values()
    )


def _dialect_table() -> str:
    head = f"\n## Defaults by dialect\n\n| setting | {' | '.join(DIALECTS)} |\n"
    rows = [
        f"| `{name}` | "
        + " | ".join(spell(getattr(dialect.defaults, name)) for dialect in DIALECTS.values())
        + " |\n"
        for name, setting in SETTINGS.items()
        if _differs(setting)
    ]
    return head + "|---" * (len(DIALECTS) + 1) + "|\n" + "".join(rows)


def main(arguments: list[str]) -> None:
    """Write the page, or print a schema: ``--schema config``, ``role``, ``agent``, ``session``."""
    match arguments:
        case ["--schema", ("config" | "role" | "agent" | "session" | "project") as file]:
            sys.stdout.write(json.dumps(json_schema(file), indent=2) + "\n")
        case []:
            page = Path(__file__).parents[4] / "docs" / "settings.md"
            page.write_text(settings_page(), encoding="utf-8")
        case _:
            sys.exit("usage: document [--schema config|role|agent|session|project]")


if __name__ == "__main__":
    main(sys.argv[1:])
