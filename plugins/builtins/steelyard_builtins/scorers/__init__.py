"""The components that come with steelyard."""
