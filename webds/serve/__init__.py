"""One small server for people: the annotation pass and the leaderboard are parts that its frame holds."""
