"""What a command of the package prints on stderr."""
import sys


class Messages:
    """Messages, and a line of progress if stderr is a terminal and the user did not ask for quiet."""

    def __init__(self, quiet: bool) -> None:
        self._shows = sys.stderr.isatty() and not quiet

    def say(self, text: str) -> None:
        self.clear()
        print(f"prof: {text}", file=sys.stderr, flush=True)

    def show(self, text: str) -> None:
        if self._shows:
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        self.show("")
