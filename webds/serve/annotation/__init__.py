"""The annotation pass as pages: what a person sees of an item, and what they send."""
