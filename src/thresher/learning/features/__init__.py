"""Which features separate the classes: scatter, selection, components."""
