"""The version of the package. A test compares it with that of the npm package."""

__version__ = "0.3.0"
