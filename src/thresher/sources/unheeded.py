"""Warnings of one library to another, which whoever uses both cannot heed."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def unheeded() -> Iterator[None]:
    """Leave out what libraries say to each other about times to come.

    >>> with unheeded():
    ...     warnings.warn("this will go away", DeprecationWarning, stacklevel=1)
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield
