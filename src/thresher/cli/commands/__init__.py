"""One command per file, each a thin door to the library call of the same name."""
