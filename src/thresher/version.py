"""The version, which every package can read without importing another."""

__version__ = "0.1.0"
