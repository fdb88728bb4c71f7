"""Replies with the verdicts of another harness."""

from __future__ import annotations

from earmark.scorers.imported_score import ImportedMeasure

GRADE = ImportedMeasure("grade", 0, 5)
