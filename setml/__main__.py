"""``python -m setml`` is ``setml``."""

from setml.cli import main

if __name__ == "__main__":
    main()
