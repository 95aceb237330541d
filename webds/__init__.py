"""webds: a benchmark that shows whether an AI agent can do real data science on the web."""

__version__ = "0.1.0"
