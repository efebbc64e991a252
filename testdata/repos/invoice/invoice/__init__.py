"""A small invoicing service for a shop."""

__version__ = "1.4.0"
