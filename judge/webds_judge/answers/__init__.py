"""One small module per value type: it parses, normalises and compares. `compare` picks the module by type name."""

from webds_judge.answers.registry import compare as compare
from webds_judge.answers.registry import known as known
from webds_judge.answers.registry import sample as sample
from webds_judge.answers.result import Compared as Compared
