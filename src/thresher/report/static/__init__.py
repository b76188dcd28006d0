"""Pictures and tables of the page without scripts."""
