"""What there is to show: the records and journals of one folder, read, indexed and put side by side. Knows no HTTP."""
