"""Zip archives: what reading a member of a damaged one raises."""

from __future__ import annotations

import zipfile
import zlib
from typing import Final

DAMAGED_ARCHIVE_ERRORS: Final = (
    zipfile.BadZipFile,  # its head, or the checksum of what was unpacked
    zlib.error,  # what is deflated
    EOFError,  # it ends in the middle
    NotImplementedError,  # a way of packing, or a flag, that zipfile does not know
)
