"""Names of `terminal/console.py`, for modules that still import them from here."""

from earmark.terminal.console import log_to_stderr, make_console, print_json, print_line, print_on, print_text

__all__ = ["log_to_stderr", "make_console", "print_json", "print_line", "print_on", "print_text"]
