"""Plan, store and progress of a run. Workers drive, the judge's process grades; this side only orders and writes."""
