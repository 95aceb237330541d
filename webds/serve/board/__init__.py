"""The leaderboard as a part of the server, and as static files."""
