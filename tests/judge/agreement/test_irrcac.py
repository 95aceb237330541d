"""Coefficients against irrCAC, in an environment of its own: it does not install beside the pandas that webds uses."""

import json
import subprocess
from random import Random

import pytest

from tests.bench.steps import peer_python
from tests.judge.agreement.rows import pairs
from webds_judge.agreement.coefficients import ac1, alpha, kappa

THEIRS = """
import json, sys, warnings
warnings.filterwarnings("ignore")
import pandas as pd
from irrCAC.raw import CAC
for line in sys.stdin:
    cac = CAC(pd.DataFrame(json.loads(line)), digits=12)
    found = [f()["est"]["coefficient_value"] for f in (cac.gwet, cac.krippendorff, cac.conger)]
    print(json.dumps([float(value) for value in found]))
"""


@pytest.mark.extra
def test_the_same_as_irrcac() -> None:
    try:
        python = peer_python("irrcac", "irrCAC==0.4.4", "pandas<3")
    except RuntimeError as error:
        pytest.skip(str(error))
    random = Random(11)
    tables = [pairs(*(random.randint(1, 50) for _ in range(4))) for _ in range(30)]
    tables += [[*said, ("unsure", "pass"), ("unsure", "unsure"), ("fail", "unsure")] for said in tables]
    asked = "".join(json.dumps(said) + "\n" for said in tables)
    done = subprocess.run([python, "-c", THEIRS], input=asked, capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(tables)
    for said, (gwet, krippendorff, conger) in zip(tables, answers, strict=True):
        assert ac1(said) == pytest.approx(gwet, abs=1e-9)
        assert alpha(said) == pytest.approx(krippendorff, abs=1e-9)
        assert kappa(said) == pytest.approx(conger, abs=1e-9)  # of two raters, Conger's is Cohen's
