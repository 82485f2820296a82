"""Markdown pieces as lines of styled text; nothing in them is markup and no link is live."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console
from rich.style import Style
from rich.text import Text

from longwatch.ui.conversation.cleaning import safe
from longwatch.ui.conversation.code import code_lines
from longwatch.ui.conversation.markdown import Piece
from longwatch.ui.conversation.palette import Palette
from longwatch.ui.conversation.tables import table_lines

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

BULLETS = "•◦▪"
NARROWEST = 8
DEEPEST = 8
"""Levels of lists and quotes that are still indented."""

BOLD = Style(bold=True)
ITALIC = Style(italic=True)
STRUCK = Style(strike=True)


class Writer:
    """Draws pieces of Markdown in one palette."""

    def __init__(self, console: Console, palette: Palette) -> None:
        self._console = console
        self._palette = palette

    @cached_property
    def _parser(self) -> "MarkdownIt":
        """Made with the first prose: an empty session opens without it."""
        from markdown_it import MarkdownIt  # noqa: PLC0415

        # Raw HTML stays text, or it would be left out without a trace.
        parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 20})
        return parser.enable(["table", "strikethrough"])

    def draw(self, piece: Piece, width: int) -> list[Text]:
        """The lines of a piece, none wider than that."""
        width = max(NARROWEST, width)
        if piece.shape == "code":
            return self._code(piece.text, piece.language, width)
        tokens = self._parser.parse(piece.text)
        if piece.number is not None and tokens and tokens[0].type == "ordered_list_open":
            tokens[0].attrSet("start", str(piece.number))
        return self._blocks(tokens, width, 0)

    def wrap(self, text: Text, width: int) -> list[Text]:
        """A text folded at words; a word that is too long is folded where it must be."""
        if cell_len(text.plain) <= width and "\n" not in text.plain:
            return [text]
        return list(text.wrap(self._console, width, overflow="fold"))

    def _blocks(
        self, tokens: Sequence["Token"], width: int, depth: int, *, tight: bool = False
    ) -> list[Text]:
        lines: list[Text] = []
        for group in _groups(tokens):
            if lines and not tight:
                lines.append(Text())
            lines.extend(self._block(group, width, depth))
        return lines

    def _block(self, group: Sequence["Token"], width: int, depth: int) -> list[Text]:
        first, palette = group[0], self._palette
        match first.type:
            case "heading_open":
                text = self._inline(group[1], palette.heading)
                return self.wrap(text, width)
            case "paragraph_open":
                return self.wrap(self._inline(group[1]), width)
            case "bullet_list_open" | "ordered_list_open":
                return self._list(group, width, depth)
            case "blockquote_open":
                inner = self._blocks(group[1:-1], _narrower(width, 2, depth), depth + 1)
                return [_before(line, "│ ", palette.border, palette.muted) for line in inner]
            case "fence" | "code_block":
                language = first.info.strip().partition(" ")[0]
                return self._code(first.content.removesuffix("\n"), language, width)
            case "hr":
                return [Text("─" * width, palette.border)]
            case "table_open":
                return table_lines(self._rows(group), width, palette, self.wrap)
            case _:
                return self.wrap(Text(first.content), width)

    def _list(self, group: Sequence["Token"], width: int, depth: int) -> list[Text]:
        first, palette = group[0], self._palette
        number = int(first.attrs.get("start") or 1) if first.type.startswith("ordered") else None
        items = list(_groups(group[1:-1]))
        tight = all(token.hidden for token in group if token.type == "paragraph_open")
        marks = [
            f"{BULLETS[min(depth, 2)]} " if number is None else f"{number + k}. "
            for k in range(len(items))
        ]
        wide = max(map(len, marks), default=2)
        lines: list[Text] = []
        for mark, item in zip(marks, items, strict=True):
            inner = self._blocks(
                item[1:-1], _narrower(width, wide, depth), depth + 1, tight=tight
            ) or [Text()]
            if lines and not tight:
                lines.append(Text())
            lines.append(_before(inner[0], mark.rjust(wide), palette.accent))
            lines.extend(_before(line, " " * wide) for line in inner[1:])
        return lines

    def _code(self, code: str, language: str, width: int) -> list[Text]:
        lines: list[Text] = []
        for line in code_lines(code, language, self._palette):
            for k, part in enumerate(self._folded(line, width - 2)):
                lines.append(_before(part, "▏ " if k == 0 else "▏↪", self._palette.border))
        return lines

    def _folded(self, line: Text, width: int) -> list[Text]:
        """Code is folded at the edge, not at words: its spaces mean something."""
        if cell_len(line.plain) <= width:
            return [line]
        cuts, used = [], 0
        for k, character in enumerate(line.plain):
            size = cell_len(character)
            if used + size > width:
                cuts.append(k)
                used = 0
            used += size
        return list(line.divide(cuts))

    def _rows(self, group: Sequence["Token"]) -> list[list[Text]]:
        rows: list[list[Text]] = []
        aligned = ""
        for token in group:
            if token.type == "tr_open":
                rows.append([])
            elif token.type in ("th_open", "td_open"):
                aligned = str(token.attrGet("style") or "")
            elif token.type == "inline" and rows:
                rows[-1].append(self._inline(token))
                rows[-1][-1].justify = "right" if aligned.endswith("right") else "left"
        return rows

    def _inline(self, token: "Token", style: Style | None = None) -> Text:
        """Entities are resolved by now, so that what they stand for is made visible here."""
        palette = self._palette
        text = Text(style=style or "")
        stack: list[Style] = []
        links: list[tuple[str, int]] = []
        for child in token.children or ():
            match child.type:
                case "softbreak":
                    text.append(" ")
                case "hardbreak":
                    text.append("\n")
                case "strong_open":
                    stack.append(BOLD)
                case "em_open":
                    stack.append(ITALIC)
                case "s_open":
                    stack.append(STRUCK)
                case "link_open":
                    stack.append(palette.link)
                    links.append((str(child.attrs.get("href", "")), len(text)))
                case "link_close":
                    stack.pop()
                    self._target(text, *links.pop())
                case "strong_close" | "em_close" | "s_close":
                    stack.pop()
                case "code_inline":
                    text.append(safe(child.content), Style.combine([*stack, palette.code]))
                case "image":
                    text.append(f"▣ {safe(child.content)}", palette.link)
                    self._target(text, str(child.attrs.get("src", "")), len(text))
                case _:
                    text.append(safe(child.content), Style.combine(stack) if stack else None)
        return text

    def _target(self, text: Text, target: str, since: int) -> None:
        """Where a link leads is shown, unless its text says so."""
        if target and text.plain[since:] not in (target, target.removeprefix("mailto:")):
            text.append(f" ({safe(target)})", self._palette.muted)


def _narrower(width: int, by: int, depth: int) -> int:
    return max(NARROWEST, width - by) if depth < DEEPEST else width


def _before(line: Text, mark: str, style: Style | None = None, whole: Style | None = None) -> Text:
    if whole is not None:
        line.stylize_before(whole)
    joined = Text()
    joined.append(mark, style)
    joined.append_text(line)
    return joined


def _groups(tokens: Sequence["Token"]) -> Iterator[Sequence["Token"]]:
    """Each block of a level: from its opening token to its closing one."""
    start, depth = 0, 0
    for k, token in enumerate(tokens):
        depth += token.nesting
        if depth == 0:
            yield tokens[start : k + 1]
            start = k + 1
