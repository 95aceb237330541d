"""Private tasks go into sealed boxes and come out again, under throw-away keys; what is not in order is refused."""

import json
import shutil
from pathlib import Path

import pytest
from nacl.public import PrivateKey
from typer.testing import CliRunner

from webds.cli import build, main
from webds.seal import box, sealed
from webds.suites import taskfiles

CANARY = "5b0e8ad4-0c1d-4d43-9d7c-6f5f6e0d6a11"
TASK = "air-and-ice-hidden"
TASKS = f"""# Canary {CANARY}
[[task]]
id = "{TASK}"
suite = "web"
revision = 1
prompt = "How many pages?"
guard = "the hasty answer is wrong"
start = {{ url = "https://air-and-ice.test/" }}
budget = {{ steps = 20, seconds = 600 }}
[task.labels]
kind = "qa"
hops = "single"
data = "unstructured"
media = "non_text"
tools = false
navigation = true
sites = ["air-and-ice"]
domain = "climate"
"""
KEYS = f"""# Canary {CANARY}
[[key]]
task = "{TASK}"
revision = 1
[[key.checks]]
name = "answer"
kind = "answer"
[key.checks.params]
type = "number"
reference = 734512
oracle = {{ sql = "SELECT 700000 + 34512" }}
evidence = [{{ kind = "tip", url = "https://air-and-ice.test/", x = 5, y = 5, value = "pages" }}]
"""


class Place:
    """A checkout of its own, its plaintext folder beside it, and a throw-away key pair."""

    def __init__(self, folder: Path, root: Path) -> None:
        self.root = folder / "checkout"
        self.private = folder / "plain"
        (self.root / "tasks_private").mkdir(parents=True)
        (self.root / "tasks_public").mkdir()
        sites = self.root / "sites_docker"
        for name in ("lock.toml", "air_and_ice/site.toml"):
            (sites / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / "sites_docker" / name, sites / name)
        key = PrivateKey.generate()
        self.key = folder / "secret.hex"
        self.key.write_text(bytes(key).hex() + "\n")
        (self.root / "tasks_private" / "operator.pub").write_text(bytes(key.public_key).hex() + "\n")
        self.task = self.private / TASK
        (self.task / "solutions").mkdir(parents=True)
        (self.task / "solutions" / "air_and_ice_hidden.py").write_text("ANSWER = 734512\n")
        (self.task / "tasks.toml").write_text(TASKS)
        (self.task / "keys.toml").write_text(KEYS)

    @property
    def file(self) -> Path:
        return self.root / "tasks_private" / "air_and_ice" / f"{TASK}.sealed.json"

    def run(self, *words: str) -> tuple[int, str]:
        done = CliRunner().invoke(build(["tasks"]), ["tasks", *words, "--root", str(self.root)])
        return done.exit_code, done.output + (str(done.exception) if done.exception else "")

    def seal(self, *words: str) -> tuple[int, str]:
        return self.run("seal", "--split", "private", "--no-reviews", "--no-tips", *words)


@pytest.fixture
def place(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = Place(tmp_path, root)
    monkeypatch.setenv("WEBDS_PRIVATE_DIR", str(made.private))
    monkeypatch.delenv("WEBDS_PRIVATE_KEY_FILE", raising=False)
    return made


def test_a_sealed_task_shows_its_head_and_nothing_else(place: Place) -> None:
    assert place.seal() == (0, f"tasks_private/air_and_ice/{TASK}.sealed.json: sealed\n")
    text = place.file.read_text()
    assert "How many pages?" in text
    for secret in (CANARY, "734512", "hasty", "ANSWER"):
        assert secret not in text
    head = json.loads(text)["head"]
    assert set(head["sites"]) == {"air-and-ice"}
    assert head["verified"]["by"].startswith("webds tasks seal")
    [task] = taskfiles.private(place.root)
    assert (task.id, task.budget.steps) == (TASK, 20)
    assert place.run("audit", "--split", "private")[0] == 0
    assert "unchanged" in place.seal()[1]


def test_unsealing_gives_every_byte_back(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.seal()
    before = {p.relative_to(place.task): p.read_bytes() for p in place.task.rglob("*") if p.is_file()}
    shutil.rmtree(place.task)
    code, said = place.run("unseal", "--split", "private")
    assert code != 0
    assert "WEBDS_PRIVATE_KEY_FILE: not set" in said
    monkeypatch.setenv("WEBDS_PRIVATE_KEY_FILE", str(place.key))
    assert place.run("unseal", "--split", "private") == (0, f"{place.task}: unsealed\n")
    assert {p.relative_to(place.task): p.read_bytes() for p in place.task.rglob("*") if p.is_file()} == before
    assert "is there already" in place.run("unseal", "--split", "private")[1]
    assert place.run("audit", "--split", "private")[0] == 0


def test_another_key_opens_nothing(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place.seal()
    other = tmp_path / "other.hex"
    other.write_text(bytes(PrivateKey.generate()).hex())
    monkeypatch.setenv("WEBDS_PRIVATE_KEY_FILE", str(other))
    code, said = place.run("audit", "--split", "private")
    assert code == 1
    assert f"task {TASK}: the box does not open" in said
    other.write_text("no key, but a secret all the same")
    assert "a secret" not in place.run("audit", "--split", "private")[1]


def test_a_head_that_was_changed_is_seen_with_the_key(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.seal()
    place.file.write_text(place.file.read_text().replace("How many pages?", "How many leaves?"))
    monkeypatch.setenv("WEBDS_PRIVATE_KEY_FILE", str(place.key))
    assert "field head: was changed" in place.run("audit", "--split", "private")[1]


@pytest.mark.parametrize("name", ["keys.toml", "air_and_ice/keys.toml", "air_and_ice/x.json", "air_and_ice/gold/x.csv"])
def test_a_file_that_is_not_sealed_is_refused(place: Place, name: str) -> None:
    path = place.root / "tasks_private" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("reference = 3")
    code, said = place.run("audit", "--split", "private")
    assert code == 1
    assert f"tasks_private/{name}: not sealed" in said


def test_a_box_that_holds_plaintext_is_refused(place: Place) -> None:
    import base64

    place.seal()
    value = json.loads(place.file.read_text())
    value["box"] = base64.b64encode(b"reference = 734512\n".ljust(box.BLOCK + 48)).decode()
    place.file.write_text(json.dumps(value))
    assert "field box: not sealed" in place.run("audit", "--split", "private")[1]


def test_a_site_that_changed_since_is_refused(place: Place) -> None:
    place.seal()
    value = json.loads(place.file.read_text())
    value["head"]["sites"]["air-and-ice"] = "0" * 64
    place.file.write_text(json.dumps(value))
    code, said = place.run("audit", "--split", "private")
    assert code == 1
    assert "the task was verified on 000000000000" in said


def test_nothing_is_sealed_while_the_validator_has_a_fault(place: Place) -> None:
    (place.task / "keys.toml").write_text(KEYS.replace("+ 34512", "+ 1"))
    code, said = place.seal()
    assert code == 1
    assert "gives another answer" in said
    assert not place.file.exists()


def test_a_review_and_proofs_can_be_asked_for(place: Place, tmp_path: Path) -> None:
    code, said = place.run("seal", "--split", "private", "--no-tips")
    assert code == 1
    assert "no agreeing review" in said
    assert "no run here" in place.seal("--proof", str(tmp_path))[1]


@pytest.mark.parametrize(
    ("file", "text", "why"),
    [
        ("keys.toml", KEYS.replace("# Canary", "#"), "no comment line with `Canary <UUID>`"),
        ("keys.toml", KEYS.replace(CANARY, CANARY.replace("5", "6")), "more than one canary"),
        ("notes.txt", "the answer is 734512", "not part of a task"),
        ("tasks.toml", TASKS + TASKS.replace(TASK, "another"), "wanted one [[task]]"),
    ],
)
def test_plaintext_that_is_not_in_order_is_refused(place: Place, file: str, text: str, why: str) -> None:
    (place.task / file).write_text(text)
    code, said = place.seal()
    assert code != 0
    assert not place.file.exists()
    assert why in said or "canary" in said


def test_plaintext_inside_of_the_checkout_is_refused(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBDS_PRIVATE_DIR", str(place.root / "tasks_private"))
    assert "lies inside of the checkout" in place.seal()[1]
    monkeypatch.delenv("WEBDS_PRIVATE_DIR")
    assert "WEBDS_PRIVATE_DIR: not set" in place.seal()[1]


def test_a_wrong_split_is_one_line(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["tasks", "audit", "--split", "public", "--root", str(place.root)])
    assert capsys.readouterr().err == "webds: --split public: only private tasks are sealed; known: private\n"


def test_the_length_tells_little() -> None:
    key = PrivateKey.generate()
    sizes = {len(box.shut(b"x" * size, key.public_key)) for size in (0, 100, 16000)}
    assert sizes == {box.BLOCK + 48}
    assert box.opened(box.shut(b"x" * 100, key.public_key), key) == b"x" * 100


def test_the_checkout_s_own_private_tasks_are_in_order(root: Path) -> None:
    from webds.seal.audit import audit

    assert audit(root) == []
    assert len(bytes(sealed.operator_key(root))) == 32
