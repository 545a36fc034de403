"""One module for each page: what it shows, chosen by the address, handed to its template."""
