"""Where a combo fails and what could be tried, by rules alone: offline, and the same each time.

Nothing here changes a prompt, or says for certain why a model fails. It counts, names the cases, and says which command
would test a guess; a person decides.
"""
