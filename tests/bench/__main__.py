"""All benchmarks, one after the other: `make bench`."""

import runpy
import sys
from pathlib import Path


def main() -> None:
    wanted = sys.argv[1:]
    for path in sorted(Path(__file__).parent.glob("bench_*.py")):
        name = path.stem.removeprefix("bench_")
        if not wanted or name in wanted:
            print(f"--- {name}", flush=True)
            sys.argv = [str(path)]
            runpy.run_path(str(path), run_name="__main__")


if __name__ == "__main__":
    main()
