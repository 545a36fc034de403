"""Charts as geometry: where each line, mark and label of a picture stands. A template turns it into SVG."""
