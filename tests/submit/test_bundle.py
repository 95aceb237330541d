"""A bundle of a run is taken; each way to forge one is refused with one reason, and leaves no file."""

import io
import json
import random
import struct
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from openpyxl import Workbook

from tests.submit.made import CANARY, HOME, RUN, Checkout, members, relinked, rewritten, run_of, with_evidence
from webds.cli import main
from webds.codec import sha256
from webds.errors import InputFault
from webds.store import RunFolder, read_json, write_atomic, write_json
from webds.submit import secrets
from webds.submit.bundle import MANIFEST
from webds.submit.pack import pack
from webds.submit.verify import verified

ASK = "episodes/ask~0/try-1"
STEPS = f"{ASK}/trajectory.jsonl"
EVIDENCE = f"{ASK}/evidence.json"


@pytest.fixture(scope="module")
def good(checkout: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("good")
    pack(run_of(checkout, place / "run"), "team-a", place / "good.zip")
    return place / "good.zip"


def refusal(checkout: Checkout, path: Path, canaries: tuple[str, ...] = ()) -> str:
    """The one reason; nothing is left behind."""
    into = path.parent / "unpacked"
    with pytest.raises(InputFault) as caught, verified(path, into, checkout.root, canaries):
        pass
    assert not into.exists()
    assert sorted(item.name for item in path.parent.iterdir()) == [path.name]
    why = str(caught.value)
    assert "\n" not in why
    return why


def test_a_bundle_of_a_run_is_taken(checkout: Checkout, good: Path, tmp_path: Path) -> None:
    with verified(good, tmp_path / "b", checkout.root) as manifest:
        assert (manifest.run, manifest.team, dict(manifest.tasks)) == (RUN, "team-a", {"ask": 2, "post": 1})
        run = RunFolder.view(tmp_path / "b")
        assert [item.evidence.answer for item in run.committed()] == ["734512", "done"]
    assert list(tmp_path.iterdir()) == []


def test_packing_twice_gives_the_same_bytes(checkout: Checkout, good: Path, tmp_path: Path) -> None:
    run = run_of(checkout, tmp_path / "run")
    pack(run, "team-a", tmp_path / "again.zip")
    assert members(tmp_path / "again.zip") == members(good)


def test_secrets_are_scrubbed_with_a_report_and_the_chain_holds(checkout: Checkout, tmp_path: Path) -> None:
    page = f"Bearer abcdefghijklmnop1234 in {HOME}/x and sk-proj-abcdefghijklmnopqrstuvwx"
    manifest = pack(run_of(checkout, tmp_path / "run", page=page), "team-a", tmp_path / "b.zip")
    assert set(manifest.scrubbed) == {"API key", "token", "home path"}
    whole = b"".join(members(tmp_path / "b.zip").values()).decode("utf-8", "replace")
    for secret in ("abcdefghijklmnop1234", "sk-proj", "somebody"):
        assert secret not in whole
    with verified(tmp_path / "b.zip", tmp_path / "u", checkout.root):
        pass


KEY = "sk-proj-abcdefghijklmnopqrstuvwx"


def handed_in(run: Path, name: str, data: bytes) -> None:
    """A file beside the answer of the run's first task."""
    folder = run / "episodes" / "ask~0" / "try-1"
    write_atomic(folder / "files" / name, data)
    file = {"name": name, "path": f"files/{name}", "size": len(data), "sha256": sha256(data)}
    write_json(folder / "evidence.json", {**read_json(folder / "evidence.json"), "files": [file]})


def workbook(text: str) -> bytes:
    book, out = Workbook(), io.BytesIO()
    book.create_sheet().append(["a", text])
    book.save(out)
    return out.getvalue()


AS_IT_IS: dict[str, Callable[[str], bytes]] = {
    "out.csv": lambda text: f"a,b\n1,{text}\n".encode(),
    "solve.py": lambda text: f'key = "{text}"\n'.encode(),
    "notes.log": lambda text: b" " * 65_530 + text.encode(),
    "R.CSV": str.encode,
    "wide.csv": lambda text: f"x,{text}\n".encode("utf-16"),
    "no-suffix": lambda text: b"\xff\xfe\x80" + text.encode(),
    "table.xlsx": workbook,
}


@pytest.mark.parametrize("name", AS_IT_IS)
def test_what_is_not_scrubbed_is_refused_with_a_key_or_a_canary(checkout: Checkout, tmp_path: Path, name: str) -> None:
    """A file has a digest: the packer hears of it before anything is sent, and a verifier says the same."""
    run = run_of(checkout, tmp_path / "run")
    handed_in(run, name, AS_IT_IS[name](KEY))
    with pytest.raises(InputFault, match=f"{ASK}/files/{name}: holds what looks like an API key"):
        pack(run, "team-a", tmp_path / "b.zip")
    assert not (tmp_path / "b.zip").exists()
    handed_in(run, name, AS_IT_IS[name](CANARY["post"].upper()))
    pack(run, "team-a", tmp_path / "b.zip")
    for text, why in ((KEY, "holds what looks like an API key"), (CANARY["post"].upper(), "holds a secret canary")):
        data = AS_IT_IS[name](text)

        def forge(found: dict[str, bytes], data: bytes = data) -> None:
            found[f"{ASK}/files/{name}"] = data
            files = [{**json.loads(found[EVIDENCE])["files"][0], "size": len(data), "sha256": sha256(data)}]
            found[EVIDENCE] = json.dumps({**json.loads(found[EVIDENCE]), "files": files}).encode()

        (tmp_path / "forged").mkdir(exist_ok=True)
        path = rewritten(tmp_path / "b.zip", tmp_path / "forged" / "b.zip", forge)
        assert f"files/{name}: {why}" in refusal(checkout, path, tuple(CANARY.values()))


def test_a_key_in_collected_state_or_in_a_name_is_refused(checkout: Checkout, tmp_path: Path) -> None:
    with pytest.raises(InputFault, match=r"collected/forum.sqlite: holds what looks like an API key"):
        pack(run_of(checkout, tmp_path / "posted", posted=KEY), "team-a", tmp_path / "b.zip")
    run = run_of(checkout, tmp_path / "named")
    handed_in(run, f"{KEY}.csv", b"1")
    with pytest.raises(InputFault, match=r"files/\[scrubbed\].csv: its name holds") as caught:
        pack(run, "team-a", tmp_path / "b.zip")
    assert KEY not in str(caught.value)
    pack(run_of(checkout, tmp_path / "sealed", posted=CANARY["ask"]), "team-a", tmp_path / "b.zip")
    (tmp_path / "only").mkdir()
    path = rewritten(tmp_path / "b.zip", tmp_path / "only" / "b.zip", lambda found: None)
    assert "forum.sqlite: holds a secret canary" in refusal(checkout, path, tuple(CANARY.values()))


def test_words_that_only_look_like_keys_and_home_paths_are_packed(checkout: Checkout, tmp_path: Path) -> None:
    """A word that ends in `sk-` is no key, wherever a window, a row or a cell begins; a home path is told of."""
    slug = "a-task-abcdefghijklmnopqrstuvwx"
    run = run_of(checkout, tmp_path / "run", posted=slug)
    handed_in(run, "r.md", f"{slug} {HOME}/x ".encode() + f" {slug}".encode() * 10_000)
    kept: list[str] = []
    assert not pack(run, "team-a", tmp_path / "b.zip", kept.append).scrubbed
    assert kept == [f"{ASK}/files/r.md"]
    with verified(tmp_path / "b.zip", tmp_path / "u", checkout.root):
        assert (tmp_path / "u" / ASK / "files" / "r.md").is_file()


def test_half_a_token_many_times_is_soon_read() -> None:
    begun = time.monotonic()
    text = "-eyJaaaaaaaa" * 100_000
    assert secrets.found(text.encode()) == ""
    assert secrets.scrub(text, Counter()) == text
    assert time.monotonic() - begun < 2


def change_step(number: int, text: str) -> Callable[[dict[str, bytes]], None]:
    def change(found: dict[str, bytes]) -> None:
        rows = [json.loads(line) for line in found[STEPS].splitlines()]
        rows[number]["then"]["text"] = text
        found[STEPS] = b"".join(json.dumps(row).encode() + b"\n" for row in rows)

    return change


def cut(lines: slice) -> Callable[[dict[str, bytes]], None]:
    def change(found: dict[str, bytes]) -> None:
        found[STEPS] = b"".join(line + b"\n" for line in found[STEPS].splitlines()[lines])

    return change


def swap(found: dict[str, bytes]) -> None:
    first, second, *rest = found[STEPS].splitlines()
    found[STEPS] = b"\n".join((second, first, *rest)) + b"\n"


def rehash_without_evidence(found: dict[str, bytes]) -> None:
    found[STEPS], _ = relinked(found[STEPS], lambda n, row: row["then"].update(text=f"invented {n}") if n < 2 else None)


def manifest(**fields: object) -> Callable[[dict[str, bytes]], None]:
    def change(found: dict[str, bytes]) -> None:
        found[MANIFEST] = json.dumps({**json.loads(found[MANIFEST]), **fields}).encode()

    return change


def picture(found: dict[str, bytes], data: bytes | None) -> None:
    name = next(name for name in found if name.startswith("blobs/"))
    if data is None:
        del found[name]
    else:
        found[name] = data


def replaced(name: str, old: bytes, new: bytes) -> Callable[[dict[str, bytes]], None]:
    def change(found: dict[str, bytes]) -> None:
        assert old in found[name]
        found[name] = found[name].replace(old, new)

    return change


def rehash_with_text(text: str) -> Callable[[dict[str, bytes]], None]:
    def change(found: dict[str, bytes]) -> None:
        found[STEPS], last = relinked(
            found[STEPS], lambda n, row: row["did"]["args"].update(note=text) if not n else None
        )
        with_evidence(found, EVIDENCE, digests={"trajectory": last})

    return change


FORGED: dict[str, tuple[Callable[[dict[str, bytes]], None], str]] = {
    "flipped byte in a step": (change_step(0, "a pbge 1"), "the hash chain is broken at step 1"),
    "dropped step": (cut(slice(1, None)), "the hash chain is broken at step 0"),
    "dropped last step": (cut(slice(0, -1)), "2 steps, evidence.json says 3"),
    "swapped steps": (swap, "the hash chain is broken at step 0"),
    "re-hashed chain": (rehash_without_evidence, "the hash of the last step is not the one"),
    "edited answer": (lambda f: with_evidence(f, EVIDENCE, answer="1"), "field answer of evidence.json is not what"),
    "missing blob": (lambda f: picture(f, None), "a step names blob"),
    "swapped blob": (lambda f: picture(f, b"another"), "a blob that is not what its name says"),
    "foreign task": (manifest(tasks={"ask": 2, "post": 1, "else": 1}), "task 'else': no task of the private split"),
    "missing task": (manifest(tasks={"ask": 2}), "task post: missing"),
    "old revision": (manifest(tasks={"ask": 1, "post": 1}), "task ask: revision 1; it is at revision 2"),
    "other site digest": (manifest(sites={"air-and-ice": "0" * 64}), "site air-and-ice: digest 000000000000"),
    "newer schema": (manifest(format=2), "field format: 2; this webds reads format 1"),
    "unknown field": (manifest(score=1.0), "field score"),
    "NaN": (replaced(EVIDENCE, b'"steps":3', b'"steps":NaN'), "NaN is no number in JSON"),
    "infinite": (replaced(EVIDENCE, b'"steps":3', b'"steps":1e999'), "no finite number"),
    "doubled name": (replaced(EVIDENCE, b'"steps":3', b'"steps":3,"steps":3'), "a name stands twice"),
    "key in text": (rehash_with_text("sk-ant-abcdefghijklmnopqrstuv"), "holds what looks like an API key"),
    "canary in text": (rehash_with_text(CANARY["post"]), "holds a secret canary"),
    "log of another": (replaced(f"{ASK}/requests.jsonl", b"served", b"severd"), "requests.jsonl is not the log"),
    "other state": (
        lambda f: f.update({"episodes/post~0/try-1/collected/forum.sqlite": b"SQLite format 3\0"}),
        "is not what evidence.json says",
    ),
    "a surplus file": (lambda f: f.update({f"{ASK}/files/x.csv": b"1"}), "'files/x.csv' is in no evidence"),
    "a surplus episode": (
        lambda f: f.update({"episodes/more~0/try-1/evidence.json": f[EVIDENCE]}), "'more': has an episode",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_bundle_is_refused(checkout: Checkout, good: Path, tmp_path: Path, name: str) -> None:
    change, why = FORGED[name]
    path = rewritten(good, tmp_path / "forged.zip", change)
    assert why in refusal(checkout, path, tuple(CANARY.values()))


def test_a_changed_member_that_the_manifest_does_not_know_is_refused(
    checkout: Checkout, good: Path, tmp_path: Path
) -> None:
    path = rewritten(good, tmp_path / "b.zip", change_step(0, "else"), listed=False)
    assert "does not match the sha256" in refusal(checkout, path)
    path.unlink()
    path = rewritten(good, tmp_path / "b.zip", lambda f: f.update({"x": b"1"}), listed=False)
    assert "'x': not a file of a bundle" in refusal(checkout, path)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../evil", "leads out of the bundle"),
        (f"{ASK}/files/../../../../evil", "leads out of the bundle"),
        ("/etc/evil", "an absolute path"),
        ("C:/evil", "an absolute path"),
        (f"{ASK}/files/a\\..\\b", "not a file of a bundle"),
        (f"{ASK}/files//b", "empty or ambiguous part"),
        (f"{ASK}/files/con.", "empty or ambiguous part"),
        ("evil.sh", "not a file of a bundle"),
        (f"{ASK}/verdicts/tier1.json", "not a file of a bundle"),
        ("tasks_private/ask.sealed.json", "not a file of a bundle"),
    ],
)
def test_a_path_that_leads_elsewhere_is_refused(
    checkout: Checkout, good: Path, tmp_path: Path, name: str, why: str
) -> None:
    path = rewritten(good, tmp_path / "b.zip", lambda f: f.update({name: b"evil"}))
    assert why in refusal(checkout, path)


def appended(good: Path, to: Path, *infos: tuple[zipfile.ZipInfo | str, bytes]) -> Path:
    to.write_bytes(good.read_bytes())
    with zipfile.ZipFile(to, "a") as archive:
        for info, data in infos:
            archive.writestr(info, data)
    return to


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_link_a_double_and_names_that_differ_in_case_are_refused(
    checkout: Checkout, good: Path, tmp_path: Path
) -> None:
    link = zipfile.ZipInfo(f"{ASK}/files/link")
    link.external_attr = 0o120777 << 16
    assert "a link" in refusal(checkout, appended(good, tmp_path / "b.zip", (link, b"/etc/passwd")))
    assert "stands twice" in refusal(checkout, appended(good, tmp_path / "b.zip", (EVIDENCE, b"{}")))
    pair = ((f"{ASK}/files/a.csv", b"1"), (f"{ASK}/files/A.csv", b"2"))
    assert "in case only" in refusal(checkout, appended(good, tmp_path / "b.zip", *pair))


def test_too_many_members_and_bombs_are_refused(checkout: Checkout, good: Path, tmp_path: Path) -> None:
    many = [(f"{ASK}/files/{n}", b"") for n in range(10_000)]
    assert "members; a bundle has at most 8000" in refusal(checkout, appended(good, tmp_path / "b.zip", *many))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr(f"{ASK}/files/zeros", bytes(50 << 20))
    (tmp_path / "b.zip").write_bytes(packed.getvalue())
    assert "unpacks to more than 200 times its size" in refusal(checkout, tmp_path / "b.zip")
    data = bytearray(packed.getvalue())
    at = data.rindex(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", 100)  # the directory says 100 bytes
    (tmp_path / "b.zip").write_bytes(data)
    assert refusal(checkout, tmp_path / "b.zip")


def test_a_truncated_zip_and_other_files_are_refused(checkout: Checkout, good: Path, tmp_path: Path) -> None:
    for data in (good.read_bytes()[:-200], b"", b"no zip at all"):
        (tmp_path / "b.zip").write_bytes(data)
        assert "not a readable zip" in refusal(checkout, tmp_path / "b.zip")


def test_a_line_of_a_hundred_megabytes_is_not_read(checkout: Checkout, good: Path, tmp_path: Path) -> None:
    line = b'{"x":"' + b"a" * (100 << 20) + b'"}\n'
    path = rewritten(good, tmp_path / "b.zip", lambda f: f.update({f"{ASK}/timings.jsonl": line}))
    assert "a line longer than" in refusal(checkout, path)


@pytest.mark.parametrize(
    ("log", "line", "why"),
    [
        ("timings", b"[1]", "timings.jsonl:1: a row is an object with index, at, seconds"),
        ("timings", b'{"index":0,"at":"noon","seconds":1}', "field at: an instant of ISO 8601 with its zone is wanted"),
        ("timings", b'{"index":0,"at":"2026-11-30T10:11:00","seconds":1}', "with its zone is wanted"),
        ("timings", b'{"index":true,"at":"2026-11-30T10:11:00Z","seconds":1}', "field index: a whole number is wanted"),
        ("timings", b'{"index":0,"at":"2026-11-30T10:11:00Z"}', "field seconds: a number is wanted, not None"),
        ("requests", b"5", "requests.jsonl:1: a row is an object with at, method, url, outcome"),
        ("requests", b'{"at":1,"url":"","outcome":"served"}', "field method: a text is wanted, not None"),
        ("requests", b'{"at":1' + b"0" * 400 + b',"method":"POST","url":"","outcome":"served"}', "field at: a number"),
    ],
)
def test_a_row_of_a_log_that_no_recorder_writes_is_refused(
    checkout: Checkout, good: Path, tmp_path: Path, log: str, line: bytes, why: str
) -> None:
    """Flags, facts and provenance read these rows later, with the operator's key at hand."""

    def change(files: dict[str, bytes]) -> None:
        files[f"{ASK}/{log}.jsonl"] = line + b"\n"
        if log == "requests":
            row = json.loads(files[EVIDENCE])
            row["digests"]["requests"] = sha256(line + b"\n")
            files[EVIDENCE] = json.dumps(row).encode()

    assert why in refusal(checkout, rewritten(good, tmp_path / "b.zip", change))


def test_a_run_that_had_the_key_or_is_not_finished_is_not_packed(checkout: Checkout, tmp_path: Path) -> None:
    run = run_of(checkout, tmp_path / "run")
    head = read_json(run / "run.json")
    for field, value, why in (
        ("key_given", True, "the key was given"),
        ("shard", "1/2", "one shard of a run"),
        ("repeat", 11, "at most 10 repeats"),
    ):
        write_json(run / "run.json", {**head, field: value})
        with pytest.raises(InputFault, match=why):
            pack(run, "team-a", tmp_path / "b.zip")
    write_json(run / "run.json", head)
    (run / "episodes" / "ask~0" / "try-1" / "evidence.json").unlink()
    with pytest.raises(InputFault, match="task ask has no finished episode"):
        pack(run, "team-a", tmp_path / "b.zip")
    assert not (tmp_path / "b.zip").exists()


def mutated(data: bytes, chance: random.Random) -> bytes:
    """A few bytes changed, cut, doubled or swapped."""
    out = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 5, 40))):
        at, end = sorted(chance.randrange(len(out)) for _ in range(2))
        end = min(end, at + 200)
        match chance.randrange(5):
            case 0:
                out[at] ^= 1 << chance.randrange(8)
            case 1:
                del out[at:end]
            case 2:
                out[at:at] = out[at:end]
            case 3:
                out[at:end] = chance.randbytes(end - at)
            case 4:
                out[at : at + 4] = struct.pack("<I", chance.choice((0, 0xFFFFFFFF, 1 << 30, len(data))))
        if len(out) < 10:
            break
    return bytes(out)


def forge(good: Path, to: Path, part: str, data: bytes, *, listed: bool) -> None:
    rewritten(good, to, lambda found: found.update({part: data}), listed=listed)


def fuzz(root: Path, good: Path, folder: Path, times: int, seed: int) -> int:
    """How many of the mutants are refused; none may raise anything else, nor leave a file."""
    chance = random.Random(seed)
    parts, whole = members(good), good.read_bytes()
    refused = 0
    for _ in range(times):
        path = folder / "mutant.zip"
        if chance.random() < 0.5:
            path.write_bytes(mutated(whole, chance))
        else:
            part = chance.choice(sorted(parts))
            forge(good, path, part, mutated(parts[part], chance), listed=chance.random() < 0.7 and part != MANIFEST)
        try:
            with verified(path, folder / "u", root):
                pass
        except InputFault:
            refused += 1
        assert [item.name for item in folder.iterdir()] == ["mutant.zip"]
    return refused


def test_a_hundred_mutants_crash_nothing(checkout: Checkout, good: Path, tmp_path: Path) -> None:
    assert fuzz(checkout.root, good, tmp_path, 100, 1) > 60


@pytest.mark.long
def test_two_thousand_mutants_crash_nothing(checkout: Checkout, good: Path, tmp_path: Path) -> None:
    refused = fuzz(checkout.root, good, tmp_path, 2000, 2)
    print(f"\n2,000 mutated bundles: {refused} refused, {2000 - refused} taken, none crashed")
    assert refused > 1200


def test_the_verbs(checkout: Checkout, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_of(checkout, tmp_path / "run")
    main_ok(["submit", "pack", str(run), "--team", "team-a", "--to", str(tmp_path / "b.zip"), "--json"])
    assert json.loads(capsys.readouterr().out)["scrubbed"] == {}
    main_ok(["submit", "verify", str(tmp_path / "b.zip"), "--root", str(checkout.root), "--json"])
    assert json.loads(capsys.readouterr().out)["verified"] is True
    (tmp_path / "b.zip").write_bytes(b"nothing")
    with pytest.raises(SystemExit) as stop:
        main(["submit", "verify", str(tmp_path / "b.zip"), "--root", str(checkout.root)])
    assert stop.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def main_ok(words: list[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 0
