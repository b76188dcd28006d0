"""Tests of pictures of rows."""
