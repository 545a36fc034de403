"""A scorer of one's own: a function that gets the answer and what is known about the case."""


def has_lines(output, context, lines):
    """Pass when the answer has that many lines, and say how many it has."""
    found = len(output.strip().splitlines())
    return found == lines, f"{context['id']}: {found} lines (wanted {lines})"
