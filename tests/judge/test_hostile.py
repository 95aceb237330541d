"""Answers made to hang, crash, fill memory or run code. A process with hard limits judges them all."""

import json
import os
import subprocess
import sys

CODE = r"""
import json, resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (100, 100))
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
from webds_judge.answers import compare
REFERENCES = {"number": 42, "integer": 42, "percent": "12.5%", "string": "Norvale", "name": "Norvale",
  "list": ["a", "b"],
  "ordered_list": ["a", "b"], "date": "2021-03-05", "boolean": True, "csv": "a,b\n1,2\n",
  "year": 1998, "month": "2022-07", "currency": "$1,250.00", "quantity": "5 km", "duration": "90 minutes",
  "range": "10-15", "time": "14:30", "quarter": "2023-Q2", "fiscal_year": "FY2023", "ordinal": "3rd",
  "unachievable": {"any_of": ["deaths", "mortality"]}}
UNITS = ["9", "9,", "(", "a ", "not ", "~~", "**", "<b>", "is ",
  "1/", "9**9^", "2021-03-05 ", "\\boxed{", "x\t", "- \n", "\n", " ", "\t \n", "00 "]
N = 100_000
hostile = ["x" * 10_000_000,
  "4" * 50_000_000, "9" * 400, "[" * 10_000 + "]" * 10_000, '{"a":' * 10_000 + "1" + "}" * 10_000,
  "1e999999999", "9**9**9**9",
  "1" + "0" * 5_000,
  "<b>" * 30_000, "{{7*7}} ${7*7} %s %n {0.__class__}",
  "(a+)+$", "\x00" * 50_000,
  "__import__('os').system('touch owned')", "=cmd|'/c calc'!A1",
  "\ud800", "!!python/object/apply:os.system ['touch owned']"]
passed = []
for kind, reference in REFERENCES.items():
    for text in hostile:
        result = compare(kind, reference, text)
        assert result.why and len(json.dumps(dict(result.parsed))) < 6_000, (kind, text[:40])
        passed += [(kind, text[:40])] if result.passed else []
for i, unit in enumerate(UNITS):
    for kind in list(REFERENCES)[i % 3 :: 3]:
        compare(kind, REFERENCES[kind], (unit * N)[:N])
for kind in REFERENCES:
    compare(kind, REFERENCES[kind], "." * (N // 2) + "of a, " * (N // 13))
print(json.dumps(passed))
"""


def test_hostile_answers_fail_within_limits_and_do_nothing(tmp_path):
    env = {"PATH": os.environ["PATH"], "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-c", CODE]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=220)
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout) == []
    assert list(tmp_path.iterdir()) == []
