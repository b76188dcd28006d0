"""The version, where every room can read it without asking for the whole house."""

__version__ = "0.1.0"
