"""A command learns nothing that it need not know."""

from adapters.tools.tool_stage import CANARIES

from longwatch.adapters.tools.environment import minimal


def test_nothing_secret_is_handed_on() -> None:
    assert "canary" not in str(minimal(CANARIES))


def test_what_programs_need_is_there() -> None:
    given = {"PATH": "/bin", "HOME": "/h", "LANG": "de_DE.UTF-8", "LC_TIME": "C", "TERM": "xterm"}
    made = minimal(given | CANARIES)
    assert made == {
        **given,
        "TERM": "dumb",
        "PAGER": "cat",
        "NO_COLOR": "1",
    }


def test_an_empty_environment_still_works() -> None:
    assert set(minimal({})) == {"PATH", "LANG", "TERM", "PAGER", "NO_COLOR"}
