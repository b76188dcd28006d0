"""One command per file, each the library call of the same name."""
