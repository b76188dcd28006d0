"""Tables in engines: one aggregate query counts them where they are."""
