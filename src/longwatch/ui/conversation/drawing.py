"""Rows as strips: the one place where a block's text becomes lines of the screen."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from longwatch.ui.conversation.blocks import Block, Divider, Note, Said, Thought, Told, Tone, Tool
from longwatch.ui.conversation.code import diff_line
from longwatch.ui.conversation.markdown import Piece
from longwatch.ui.conversation.palette import Palette
from longwatch.ui.conversation.prose import Writer
from longwatch.ui.conversation.rows import Detail, Head, Row, Speech
from longwatch.ui.conversation.telling import headline
from longwatch.ui.words import cut, fill, one_line

NAME = 6
SECONDS = 7
INDENT = "    │ "
CARET = "▌"
ITALIC = Style(italic=True)
TOLD = {
    "continuation": "go on with the open todos",
    "plan_nudge": "make a list if there are several steps",
    "nag": "update your todos",
    "stale": "the todos may be out of date",
    "finalization": "bring the list up to date",
    "guard_blocked": "say why the list is not up to date",
    "human_edit": "what you changed in the list",
    "repeat_warning": "it does the same again and again",
    "reply_nudge": "a reply is owed",
    "subagent": "a child has ended",
    "resume": "go on with the open todos",
    "interrupted": "it was interrupted",
    "length": "the reply was cut off",
}
"""By source: what a message of the program is about."""


class Drawer:
    """Draws rows for one palette; the first column is left to the cursor."""

    def __init__(self, console: Console, palette: Palette) -> None:
        self._console = console
        self._palette = palette
        self._writer = Writer(console, palette)

    def draw(self, row: Row, width: int) -> Sequence[Strip]:
        """The lines of a row, without the gap before it."""
        inner = max(1, width - 1)
        # The last column parts the text from the scrollbar.
        lines = self._lines(row, max(1, inner - 1))
        if row.live and lines:
            self._mark_end(lines, inner)
        return [self._strip(line, inner) for line in lines] or [self._strip(Text(), inner)]

    def _lines(self, row: Row, width: int) -> list[Text]:
        part = row.part
        match part:
            case Piece():
                return self._writer.draw(part, width)
            case Speech():
                return self._speech(row, part, width)
            case Detail():
                return self._detail(part, width)
            case Head():
                return self._head(row.block, width, live=row.live)

    def _speech(self, row: Row, part: Speech, width: int) -> list[Text]:
        said, palette = row.block, self._palette
        assert isinstance(said, Said)
        lines: list[Text] = []
        if row.order[1] == 0 and (said.sender or said.source in ("peer", "cron")):
            who = "" if said.source == "cron" else one_line(said.sender or "another session")
            label = f"⇄ from {who}" if who else "◷ scheduled"
            lines.append(Text(cut(label, width - 2), palette.muted))
        for line in part.text.split("\n"):
            lines.extend(self._writer.wrap(Text(line), max(1, width - 2)))
        bar = palette.accent if said.source in ("human", "answer") else palette.muted
        return [Text.assemble(("▌ ", bar), line) for line in lines]

    def _detail(self, part: Detail, width: int) -> list[Text]:
        palette, room = self._palette, max(1, width - len(INDENT))
        if part.kind == "label":
            return [Text(f"    {cut(part.text, width - 4)}", palette.muted + ITALIC)]
        lines: list[Text] = []
        for k, line in enumerate(part.text.split("\n")):
            match part.kind:
                case "diff":
                    text = diff_line(line, palette)
                case "command":
                    text = Text.assemble(("$ " if k == 0 else "> ", palette.accent), line)
                case "prose":
                    text = Text(line, palette.muted)
                case "plain":
                    text = Text(line)
            lines.extend(self._writer.wrap(text, room))
        return [Text.assemble((INDENT, palette.border), line) for line in lines]

    def _head(self, block: Block, width: int, *, live: bool) -> list[Text]:
        palette = self._palette
        match block:
            case Tool():
                return [self._tool(block, width)]
            case Thought() if live:
                last = one_line(block.text.rstrip().rsplit("\n", 1)[-1])
                return [Text(cut(f"∴ thinking… {last}", width - 1), palette.muted + ITALIC)]
            case Thought():
                words = cut(f"∴ thought: {one_line(block.text)}", width)
                return [Text(words, palette.muted + ITALIC)]
            case Told():
                source = one_line(block.source).replace("_", " ")
                about = f" · {TOLD[block.source]}" if block.source in TOLD else ""
                return [Text(cut(f"⟳ told the model: {source}{about}", width), palette.muted)]
            case Note():
                return self._note(block, width)
            case Divider():
                words = cut(f" {one_line(block.text)} ", width)
                side = max(0, width - cell_len(words))
                left, right = "─" * (side // 2), "─" * (side - side // 2)
                border, muted = palette.border, palette.muted
                return [Text.assemble((left, border), (words, muted), (right, border))]
            case _:
                return []

    def _note(self, note: Note, width: int) -> list[Text]:
        style = _tone(note.tone, self._palette)
        mark = Text(fill(note.mark, 2), style)
        words = one_line(note.text)
        body = self._palette.muted if note.tone in ("quiet", "good") else style
        if note.more:
            return [Text.assemble(mark, (cut(words, max(1, width - 2)), body))]
        lines = self._writer.wrap(Text(words, body), max(1, width - 2))
        return [Text.assemble(mark if k == 0 else "  ", line) for k, line in enumerate(lines)]

    def _tool(self, tool: Tool, width: int) -> Text:
        palette, told = self._palette, headline(tool)
        quiet = tool.todo and tool.ok
        name = cut(told.name, 24)
        left = f"{name} " if tool.todo else f"{fill(name, max(NAME, cell_len(name)))}  "
        room = max(1, width - 4 - cell_len(left))
        seconds = told.seconds.rjust(SECONDS) if told.seconds else ""
        space = max(0, room - (SECONDS if told.seconds else 0))
        most = space * 2 // 5 if tool.ok or not tool.done else space * 3 // 5
        # What the subject leaves free is the result's.
        most = max(most, space - cell_len(told.subject) - 2)
        result = cut(told.result, most)
        column = max(cell_len(result), min(most, max(10, space * 3 // 10))) if result else 0
        middle = max(0, space - column - (2 if column else 0))
        style = _tone(told.tone, palette)
        faint = style if told.tone in ("bad", "notice") else palette.muted
        line = Text.assemble(
            "  ",
            (f"{told.mark} ", style if not quiet else palette.muted),
            (left, palette.muted if quiet else Style(bold=True) if not tool.done else ""),
            (fill(told.subject, middle), palette.muted if quiet else ""),
        )
        if column:
            line.append("  ")
            line.append(fill(result, column), faint)
        line.append(seconds, palette.muted)
        return line

    def _mark_end(self, lines: list[Text], width: int) -> None:
        """Where a streaming reply goes on."""
        last = lines[-1]
        last.rstrip()
        if cell_len(last.plain) < width:
            last.append(CARET, self._palette.accent)

    def _strip(self, line: Text, width: int) -> Strip:
        line.rstrip()
        own = line.style if isinstance(line.style, Style) else Style.null()
        line.style = style = self._palette.text + own
        # Rich gives a text without spans no style at all.
        drawn = Segment.apply_style(line.render(self._console, end=""), style)
        segments = [Segment(" ", self._palette.text), *drawn]
        # As wide as the pane from the start, so that nothing is left to do when it is shown.
        return Strip(segments).adjust_cell_length(width + 1, self._palette.text)


def _tone(tone: Tone, palette: Palette) -> Style:
    match tone:
        case "quiet":
            return palette.muted
        case "plain":
            return palette.text
        case "good":
            return palette.good
        case "notice":
            return palette.notice
        case "bad":
            return palette.bad
