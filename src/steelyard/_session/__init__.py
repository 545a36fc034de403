"""Composition: the one place where host, configuration, engine and store meet. ``steelyard.session`` is its face."""
