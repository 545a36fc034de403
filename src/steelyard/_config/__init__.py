"""Reading what the user wrote: suite files, data files, templates, options and settings.

Everything that comes in from a file is checked here once, so that what is behind it meets plain JSON values, finite
sizes and texts, and every complaint says where.
"""
