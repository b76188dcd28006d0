"""How hypothesis searches: a modest number of examples, and the same ones every time in CI."""

import os

from hypothesis import settings

settings.register_profile("here", max_examples=60, deadline=None)
settings.register_profile("ci", max_examples=60, deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "here")
