"""Bands: limits of rates, precision, net benefit and reliability."""
