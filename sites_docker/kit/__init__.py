"""Building blocks for the frozen sites: a site is its data, its templates and its quirks. See README.md here."""
