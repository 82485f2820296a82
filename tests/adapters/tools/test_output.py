"""Head and tail are kept, the middle is counted, whatever the pieces."""

import re

from hypothesis import given
from hypothesis import strategies as st

from longwatch.adapters.tools.output import HeadTail


def fed(data: bytes, sizes: list[int], head: int, tail: int) -> HeadTail:
    output = HeadTail(head, tail)
    at = 0
    for size in [*sizes, len(data)]:
        output.feed(memoryview(data[at : at + size]))
        at += size
    return output


def test_what_fits_is_kept_whole() -> None:
    output = fed(b"0123456789", [3], 5, 5)
    assert output.text() == "0123456789"
    assert output.left_out == 0


def test_the_middle_is_counted() -> None:
    output = fed(b"head" + b"x" * 1_073_741 + b"tail", [5000] * 300, 4, 4)
    assert output.text() == "head\n… 1,073,741 bytes left out …\ntail"
    assert output.left_out == 1_073_741


def test_invalid_bytes_are_replaced() -> None:
    assert fed(b"a\xff\xfeb", [], 10, 10).text() == "a��b"


def test_a_character_on_the_border_is_left_out_whole() -> None:
    text = "é" * 3 + "-" * 50 + "€" * 3
    output = fed(text.encode(), [], 5, 7)
    assert output.text() == "éé\n… 55 bytes left out …\n€€"


@given(
    st.binary(max_size=300), st.lists(st.integers(0, 60)), st.integers(1, 20), st.integers(1, 20)
)
def test_the_pieces_do_not_matter(data: bytes, sizes: list[int], head: int, tail: int) -> None:
    whole, pieces = fed(data, [], head, tail), fed(data, sizes, head, tail)
    assert whole.text() == pieces.text()
    assert whole.left_out == max(0, len(data) - head - tail)


@given(st.text(max_size=300), st.integers(4, 20), st.integers(4, 20))
def test_text_stays_valid_and_every_byte_is_accounted_for(text: str, head: int, tail: int) -> None:
    data = text.encode()
    output = fed(data, [], head, tail)
    if not output.left_out:
        assert output.text() == text
        return
    start, note, end = re.split(r"\n(… [\d,]+ bytes left out …)\n", output.text(), maxsplit=1)
    gone = int(note.split()[1].replace(",", ""))
    assert text.startswith(start)
    assert text.endswith(end)
    assert len(start.encode()) + gone + len(end.encode()) == len(data)
