"""The host: finds plugins, asks each what it offers, and answers who has a name. Imports nothing by itself."""
