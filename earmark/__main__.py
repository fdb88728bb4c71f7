"""`python -m earmark`."""

from earmark.cli import main

main()
