"""A package of plug-ins as a user would write them: found by their dotted names."""
