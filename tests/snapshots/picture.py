"""The picture in the README."""

import asyncio
import sys
from pathlib import Path

from snapshots.all_scenes import PICTURE
from snapshots.taking import take

PLACE = Path(__file__).parents[2] / "docs" / "dashboard.svg"


def main(path: Path) -> None:
    path.write_text(asyncio.run(take(PICTURE)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
