"""The command line."""

import argparse
from collections.abc import Sequence

from longwatch import __version__


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    parser = argparse.ArgumentParser(
        prog="longwatch", description="Run, watch and steer long LLM-agent runs."
    )
    parser.add_argument("--version", action="version", version=f"longwatch {__version__}")
    parser.parse_args(argv)
    parser.print_help()
    return 0
