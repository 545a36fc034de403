"""Running a plan: from rendered prompts to results, whatever the plugins behind it are."""
