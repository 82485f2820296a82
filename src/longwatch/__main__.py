"""``python -m longwatch``."""

import sys

from longwatch.cli import main

if __name__ == "__main__":
    sys.exit(main())
