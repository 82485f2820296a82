"""docs/completion.svg: drawn by hand, legible on light and dark pages, no library."""

from collections.abc import Iterator, Sequence
from html import escape

from bench.completion_page import Point, Row
from bench.completion_trial import Mode

WIDTH, HEIGHT = 980, 540
STYLE = """
  .card { fill: #ffffff; stroke: #d0d7de; }
  text { font-family: ui-sans-serif, system-ui, -apple-system, "Segoe UI", Helvetica, Arial,
    sans-serif; font-size: 13px; fill: #1f2328; }
  .title { font-size: 17px; font-weight: 600; }
  .head { font-size: 14px; font-weight: 600; }
  .dim { fill: #59636e; font-size: 12px; }
  .name { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
  .grid { stroke: #d8dee4; stroke-width: 1; }
  .rail { fill: #eff2f5; }
  .off { fill: #bc6c25; } .own { fill: #6fa8dc; } .full { fill: #0b5cad; }
  .line { fill: none; stroke-width: 2.5; stroke-linejoin: round; }
  .line.off { stroke: #bc6c25; fill: none; } .line.own { stroke: #0b5cad; fill: none; }
  .dot { stroke: #ffffff; stroke-width: 1.5; } .dot.own { fill: #0b5cad; }
  .word.off { fill: #9a5417; font-weight: 600; } .word.own { fill: #0b5cad; font-weight: 600; }
  @media (prefers-color-scheme: dark) {
    .card { fill: #0d1117; stroke: #3d444d; }
    text { fill: #f0f6fc; } .dim { fill: #9198a1; }
    .grid { stroke: #2a313a; } .rail { fill: #1b222b; }
    .off { fill: #e09a55; } .own { fill: #4478a8; } .full { fill: #79c0ff; }
    .line.off { stroke: #e09a55; } .line.own { stroke: #79c0ff; }
    .dot { stroke: #0d1117; } .dot.own { fill: #79c0ff; }
    .word.off { fill: #e09a55; } .word.own { fill: #79c0ff; }
  }
"""
LEFT, BARS_AT, BARS_WIDE, TOP = 32, 128, 250, 118
ROW, BAR = 82, 17
LEGEND: tuple[tuple[Mode, str], ...] = (
    ("off", "off"),
    ("own", "on, the dialect's own"),
    ("full", "on, all of it"),
)
PLOT_X, PLOT_Y, PLOT_W, PLOT_H = 632, 150, 310, 300
MOST_STOPS = 0.4
WORDS: tuple[tuple[Mode, str], ...] = (("off", "discipline off"), ("own", "discipline on"))


def plot(rows: Sequence[Row], points: Sequence[Point]) -> str:
    parts = [
        _opening(rows),
        f"<style>{STYLE}</style>",
        f'<rect class="card" x="0.5" y="0.5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="10"/>',
        _text(LEFT, 38, "Work that was really finished, under a model that misbehaves", "title"),
        *_bars(rows),
        *_curve(points),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _opening(rows: Sequence[Row]) -> str:
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    told = escape(_told(rows))
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{told}">'


def _told(rows: Sequence[Row]) -> str:
    """The picture in words, for whoever cannot see it."""
    each = (f"{row.dialect} {row.mode} {row.share:.0%}" for row in rows)
    return "Share of the work that was finished: " + ", ".join(each)


def _text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'


# --- by dialect -----------------------------------------------------------------------------


def _bars(rows: Sequence[Row]) -> Iterator[str]:
    yield _text(LEFT, 72, "By dialect: share of the work, model calls for each part", "head")
    x = float(LEFT)
    for mode, words in LEGEND:
        yield f'<rect class="{mode}" x="{x:g}" y="84" width="12" height="12" rx="2"/>'
        yield _text(x + 18, 94.5, words, "dim")
        x += 44 + 6.3 * len(words)
    dialects = list(dict.fromkeys(row.dialect for row in rows))
    for number, dialect in enumerate(dialects):
        y = TOP + ROW * number
        yield _text(LEFT, y + BAR * 2.2, dialect, "name")
        for place, row in enumerate(row for row in rows if row.dialect == dialect):
            yield from _bar(row, y + (BAR + 4) * place)


def _bar(row: Row, y: float) -> Iterator[str]:
    wide = max(3.0, BARS_WIDE * row.share)
    yield (
        f'<rect class="rail" x="{BARS_AT}" y="{y}" width="{BARS_WIDE}" height="{BAR}" rx="3"/>'
        f'<rect class="{row.mode}" x="{BARS_AT}" y="{y}" width="{wide:.1f}" height="{BAR}" rx="3"/>'
    )
    yield _text(BARS_AT + BARS_WIDE + 48, y + 13, f"{row.share:.0%}", anchor="end")
    yield _text(BARS_AT + BARS_WIDE + 60, y + 13, f"{row.calls_each:.1f} calls each", "dim")


# --- by how often it stops ------------------------------------------------------------------


def _curve(points: Sequence[Point]) -> Iterator[str]:
    yield _text(PLOT_X - 40, 72, "By how often the model stops (longwatch)", "head")
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = _y(share)
        yield f'<line class="grid" x1="{PLOT_X}" x2="{PLOT_X + PLOT_W}" y1="{y:g}" y2="{y:g}"/>'
        yield _text(PLOT_X - 8, y + 4, f"{share:.0%}", "dim", "end")
    for stops in (0.0, 0.1, 0.2, 0.3, 0.4):
        yield _text(_x(stops), PLOT_Y + PLOT_H + 20, f"{stops:.0%}", "dim", "middle")
    under = PLOT_Y + PLOT_H + 42
    yield _text(
        PLOT_X + PLOT_W / 2, under, "of its replies end although work is left", "dim", "middle"
    )
    yield _text(PLOT_X - 40, 124, "share of the work finished", "dim")
    for mode, word in WORDS:
        own = sorted((point for point in points if point.mode == mode), key=lambda p: p.stops)
        path = " ".join(f"{_x(p.stops):.1f},{_y(p.share):.1f}" for p in own)
        yield f'<polyline class="line {mode}" points="{path}"/>'
        for p in own:
            x, y = _x(p.stops), _y(p.share)
            yield f'<circle class="dot {mode}" cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>'
        # Above the end of its line, where the line is lowest and nothing else is.
        end = PLOT_X + PLOT_W
        yield _text(end, _y(own[-2].share) - 16, word, f"word {mode}", "end")


def _x(stops: float) -> float:
    return PLOT_X + PLOT_W * stops / MOST_STOPS


def _y(share: float) -> float:
    return PLOT_Y + PLOT_H * (1 - share)
