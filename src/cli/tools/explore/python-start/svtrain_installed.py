"""Tells the program from what is installed."""

import os
import sys


def is_installed(name):
    import importlib.util

    spec = importlib.util.find_spec(name.partition(".")[0])
    if spec is None:
        return False
    places = [spec.origin] if spec.origin else list(spec.submodule_search_locations or [])
    return bool(places) and all(map(is_installed_at, places))


def is_installed_at(place):
    """Whether a file is not a part of the program."""
    if place in ("built-in", "frozen") or place.startswith("<frozen "):
        return True
    if "site-packages" in place or "dist-packages" in place:
        return True
    return os.path.realpath(place).startswith(_STANDARD_LIBRARY)


_STANDARD_LIBRARY = os.path.join(os.path.realpath(os.path.dirname(os.__file__)), "")


def is_of_program(frame):
    """Whether code that is not installed is among the callers: a thread of a library has none."""
    while frame is not None and is_installed_at(frame.f_code.co_filename):
        frame = frame.f_back
    return frame is not None
