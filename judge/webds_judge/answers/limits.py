"""Hard limits that keep every comparison bounded in time and memory. A verdict names the one that was hit."""

ANSWER_CHARS = 100_000
"""Longest answer text that is read, in characters; a longer one fails as it stands."""
JSON_DEPTH = 60
"""Deepest JSON nesting that is parsed."""
TAGS = 20_000
"""Most HTML tags in one answer."""
DIGITS = 500
"""Longest numeral, in digits."""
EXPONENT = 400
"""Largest power of ten or exponent."""
TOKENS = 3_000
"""Most values read out of one answer."""
CLAUSE_TOKENS = 200
"""Most values of one clause that are weighed; a clause with more is an enumeration."""
CLAUSES = 4_000
"""Most clauses of one answer that are weighed."""
ITEMS = 5_000
"""Most items of a candidate list."""
FILE_BYTES = 32 * 1024 * 1024
"""Largest submitted file that is compared."""
ROWS = 200_000
"""Most rows of a candidate table."""
COLUMNS = 500
"""Most columns of a candidate table."""
SHOWN = 200
"""Characters of a parsed value kept in a verdict."""
