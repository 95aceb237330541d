"""The rubric over runs, against a real endpoint that is scripted: verdicts, faults, canaries, cache, gaps."""

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.judge.rubric.bot import ACTS, CANARY, PAGE, asked, bot, built, judge, kept, object_for, word
from tests.models.endpoint import Said, serving
from tests.report.build_run import Act
from webds.errors import InputFault
from webds_judge.rubric.canaries import CANARIES
from webds_judge.rubric.table import read

TEXT_CANARIES = sum(not canary.image for canary in CANARIES)


def test_a_verdict_holds_samples_votes_and_cost(tmp_path: Path) -> None:
    run, root = built(tmp_path)
    with serving([bot()]) as endpoint:
        lines = judge(run, root, endpoint.url)
    assert len(endpoint.seen) == TEXT_CANARIES + 3
    found = word(run)
    assert (found["kind"], found["passed"], found["stars"]) == ("verdict", True, 5)
    assert [sample["stars"] for sample in found["samples"]] == [5, 5, 5]
    assert [sample["seed"] for sample in found["samples"]] == [0, 1, 2]
    assert lines[0]["usage"] == {"calls": 3, "input": 300, "output": 30}
    assert [body["seed"] for body in endpoint.seen[TEXT_CANARIES:]] == [0, 1, 2]
    assert all(body["temperature"] == 0 for body in endpoint.seen)
    assert not found["judge"]["version"].endswith("unsound")


def test_what_the_model_is_shown(tmp_path: Path) -> None:
    """Reference and task outside the fence, the evidence inside, no reasoning, no name of the agent."""
    run, root = built(tmp_path)
    with serving([bot()]) as endpoint:
        judge(run, root, endpoint.url, canaries=False, samples=1)
    _, names, text = asked(endpoint.seen[0])
    assert names[:2] == ["value", "source"]
    assert '"reference": 42' in text
    assert "forty-two" not in text
    assert "forty" not in text
    assert "scripted" not in text
    assert PAGE.splitlines()[1] not in text  # its spaces are marked
    assert "Output" in text.split("<evidence-")[2]


def test_the_answer_only_in_the_reasoning_does_not_pass(tmp_path: Path) -> None:
    run, root = built(tmp_path, answer="", passed=None)
    marks = {"value": {"met": True, "steps": [0], "quote": "it must be forty-two"}}
    with serving([bot(marks)]) as endpoint:
        judge(run, root, endpoint.url)
    found = word(run)
    assert (found["passed"], found["parts"][0]["passed"]) == (None, False)
    assert found["samples"][0]["criteria"]["value"]["met"] is None


def test_a_right_refusal_of_an_infeasible_task_passes(tmp_path: Path) -> None:
    run, root = built(tmp_path, answer="The portal has no figures for 1899", passed=True)
    keys = root / "tasks_public" / "group" / "keys.toml"
    keys.write_text(keys.read_text().replace('"integer", reference = 42', '"unachievable", reference = "1899"'))
    marks = {"value": {"met": True, "steps": [-1], "quote": "no figures for 1899"}}
    with serving([bot(marks)]) as endpoint:
        judge(run, root, endpoint.url)
    assert (word(run)["passed"], word(run)["stars"]) == (True, 5)


def without_nonce(body: dict[str, Any]) -> Said:
    return {"text": json.dumps({**object_for(body), "nonce": "0" * 16})}


def thinking(body: dict[str, Any]) -> Said:
    wrong = object_for(body, {"value": {"met": False}})
    return {"text": f"<think>SUCCESS, everything is met</think>{json.dumps(wrong)}"}


def doubled(body: dict[str, Any]) -> Said:
    return {"text": json.dumps(object_for(body)).replace('"met": true', '"met": false, "met": true')}


def off_scale(body: dict[str, Any]) -> Said:
    return {"text": json.dumps({**object_for(body), "score": 11})}


def cut(body: dict[str, Any]) -> Said:
    return {"text": json.dumps(object_for(body))[:-30]}


FAULTS: Mapping[str, Any] = {
    "payment": {"status": 402},
    "rate limit": {"status": 429, "headers": {"retry-after": "900"}},
    "broken": {"status": 500},
    "hang": {"hang": 1.5, "text": "late"},
    "stream ends early": {"text": '{"nonce": "', "cut": 5},
    "cut-off JSON": cut,
    "longest": {"text": "{", "finish": "length"},
    "wrong nonce": without_nonce,
    "refusal": {"text": "", "refusal": "I cannot judge this."},
    "filtered": {"text": "{}", "finish": "content_filter"},
    "empty": {"text": ""},
    "off-scale": off_scale,
    "duplicated keys": doubled,
    "200 with an error": {"body": {"error": {"message": "no credit left"}}},
    "too long for it": {"status": 400, "body": {"error": {"message": "exceeds the available context size"}}},
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_ungraded_and_judging_again_picks_it_up(name: str, tmp_path: Path) -> None:
    run, root = built(tmp_path)
    with serving([FAULTS[name]]) as endpoint:
        judge(run, root, endpoint.url, canaries=False, first=0.5, attempts=2)
    found = word(run)
    assert (found["kind"], found["blame"]) == ("ungraded", "judge")
    assert found["why"]
    with serving([bot()]) as endpoint:
        judge(run, root, endpoint.url, canaries=False)
    assert word(run)["passed"] is True


def test_a_verdict_word_in_the_reasoning_is_not_the_verdict(tmp_path: Path) -> None:
    run, root = built(tmp_path, passed=None)
    with serving([thinking]) as endpoint:
        judge(run, root, endpoint.url, canaries=False)
    assert (word(run)["passed"], word(run)["stars"]) == (False, 2)


def test_a_forged_quote_voids_its_criterion_alone(tmp_path: Path) -> None:
    run, root = built(tmp_path)
    marks = {"source": {"met": True, "steps": [0], "quote": "plant in 1999: 57 gigawatt"}}
    with serving([bot(marks)]) as endpoint:
        judge(run, root, endpoint.url)
    found = word(run)
    assert found["passed"] is None
    assert {part["name"]: part["parsed"]["votes"] for part in found["parts"]}["source"] == [None, None, None]
    assert found["parts"][0]["passed"] is True


def test_a_short_wait_is_kept_and_an_unreadable_reply_asked_again(tmp_path: Path) -> None:
    run, root = built(tmp_path)
    script: list[Any] = [{"status": 429, "headers": {"retry-after": "0.05"}}, without_nonce, bot()]
    with serving(script) as endpoint:
        judge(run, root, endpoint.url, canaries=False, retries=1, samples=1)
    assert word(run)["passed"] is True
    assert word(run)["samples"][0]["tries"] == 2
    assert len(endpoint.seen) == 3


def test_an_endpoint_without_schemas_is_asked_without(tmp_path: Path) -> None:
    def picky(body: dict[str, Any]) -> Said:
        return {"status": 400} if "response_format" in body else bot()(body)

    run, root = built(tmp_path)
    with serving([picky]) as endpoint:
        judge(run, root, endpoint.url, dialect="")
    assert word(run)["passed"] is True
    assert sum("response_format" in body for body in endpoint.seen) == 1


def test_an_endpoint_that_dies_half_way_leaves_exactly_a_gap(tmp_path: Path) -> None:
    names = ("a", "b", "c", "d")
    run, root = built(tmp_path, names)
    good = TEXT_CANARIES + 3 + 2  # the first try, and two of three samples of the second
    with serving([*([bot()] * good), {"status": 500}]) as endpoint:
        lines = judge(run, root, endpoint.url)
    assert sorted(line.get("kind", "done") for line in lines) == ["done", "ungraded", "ungraded", "ungraded", "verdict"]
    before = kept(run)
    with serving([bot()]) as endpoint:
        lines = judge(run, root, endpoint.url)
    assert len(endpoint.seen) == TEXT_CANARIES + 1 + 3 + 3  # another address, so canaries again
    assert lines[-1]["kept"] == 1
    after = kept(run)
    assert all(json.loads(text)["kind"] == "verdict" for path, text in after.items() if path.endswith(".json"))
    done = [path for path, text in before.items() if path.endswith(".json") and json.loads(text)["kind"] == "verdict"]
    assert len(done) == 5  # the typed verdicts, and the one that the rubric had given
    assert all(after[path] == before[path] for path in done)


def test_a_dead_endpoint_is_not_asked_for_every_try(tmp_path: Path) -> None:
    run, root = built(tmp_path, tuple("abcdef"))
    with serving([{"status": 500}]) as endpoint:
        lines = judge(run, root, endpoint.url, canaries=False)
    assert [line["blame"] for line in lines[:-1]] == ["judge"] * 6
    assert len(endpoint.seen) == 3


def test_a_missed_canary_ends_the_batch_for_the_day(tmp_path: Path) -> None:
    def believing(body: dict[str, Any]) -> Said:
        reply = object_for(body)
        if "NOTE" in asked(body)[2]:
            reply["criteria"][0] = {"name": "value", "met": True, "steps": [-1], "quote": "3906"}
        return {"text": json.dumps(reply)}

    run, root = built(tmp_path, ("a", "b"))
    with serving([believing]) as endpoint:
        judge(run, root, endpoint.url)
        assert len(endpoint.seen) == TEXT_CANARIES
        judge(run, root, endpoint.url)
        assert len(endpoint.seen) == TEXT_CANARIES
        for name in ("a", "b"):
            assert (word(run, name)["kind"], word(run, name)["blame"]) == ("ungraded", "judge_unsound")
        assert "forged verdict in page text" in word(run, "a")["why"]
        judge(run, root, endpoint.url, canaries=False)
    assert word(run, "a")["judge"]["version"].endswith(" unsound")
    with serving([bot()]) as endpoint:  # from the cache: no canaries, and the stamp stays
        before = kept(run)
        judge(run, root, endpoint.url, force=True)
        assert not endpoint.seen
    assert kept(run) == before


def test_a_canary_that_is_claimed_with_an_invented_quote_is_missed(tmp_path: Path) -> None:
    """In a verdict such a claim is ungraded; a model that makes it would say anything."""

    def claiming(body: dict[str, Any]) -> Said:
        marks = {"met": True, "steps": [0], "quote": "every row was checked and is right"}
        reply = object_for(body)
        if CANARY in asked(body)[2]:
            reply["criteria"] = [{**item, **marks} for item in reply["criteria"]]
        return {"text": json.dumps(reply)}

    run, root = built(tmp_path)
    with serving([claiming]) as endpoint:
        judge(run, root, endpoint.url)
    assert (word(run)["kind"], word(run)["blame"]) == ("ungraded", "judge_unsound")
    assert all(canary.name in word(run)["why"] for canary in CANARIES if not canary.image)


def test_every_call_is_paid_for_and_told_by_role(tmp_path: Path) -> None:
    """Unreadable replies, those that came to nothing, relevance and canaries; the endpoint bills 110 a call."""
    seen: list[int] = []

    def flaky(body: dict[str, Any]) -> Said:
        seen.append(1)
        return bot()(body) if len(seen) % 3 == 0 else {"text": "no"}

    run, root = built(tmp_path / "a")
    with serving([flaky]) as endpoint:
        lines = judge(run, root, endpoint.url, canaries=False, samples=1)
        assert lines[0]["usage"] == {"calls": 3, "input": 300, "output": 30}
        before = kept(run)
        lines = judge(run, root, endpoint.url, canaries=False, samples=1, force=True)
        assert (len(endpoint.seen), lines[0]["usage"]["calls"], kept(run)) == (3, 3, before)
    run, root = built(tmp_path / "b")
    with serving([{"text": "no"}]) as endpoint:
        lines = judge(run, root, endpoint.url, canaries=False)
    assert (lines[0]["kind"], lines[0]["usage"]["calls"], len(endpoint.seen)) == ("ungraded", 3, 3)
    assert word(run)["usage"]["roles"]["grade"]["calls"] == 3
    acts = (*[Act(name="goto", text=f"{PAGE} page {n} " + "filler " * 300) for n in range(30)], ACTS[-1])
    run, root = built(tmp_path / "c", acts=acts)
    with serving([bot()]) as endpoint:
        lines = judge(run, root, endpoint.url, samples=1, room=8_000)
    assert (lines[0]["usage"]["calls"], lines[-1]["canaries"]["calls"]) == (3, TEXT_CANARIES)
    assert len(endpoint.seen) == 3 + TEXT_CANARIES
    assert {role: used["calls"] for role, used in word(run)["usage"]["roles"].items()} == {"relevance": 2, "grade": 1}


def test_a_refused_request_does_not_take_the_schema_from_the_others(tmp_path: Path) -> None:
    def strict(body: dict[str, Any]) -> Said:
        return {"status": 400} if "Task\nTask a" in asked(body)[2] else bot()(body)

    run, root = built(tmp_path, ("a", "b"))
    with serving([strict]) as endpoint:
        judge(run, root, endpoint.url, canaries=False, samples=1, dialect="")
    assert (word(run, "a")["blame"], word(run, "b")["passed"]) == ("judge", True)
    of_b = [body for body in endpoint.seen if "Task\nTask b" in asked(body)[2]]  # both tries are asked for side by side
    assert [("response_format" in body) for body in of_b] == [True]


def test_no_endpoint_is_the_judges_fault_and_never_unsound(tmp_path: Path) -> None:
    run, root = built(tmp_path)
    judge(run, root, "http://127.0.0.1:9/v1")
    assert word(run)["blame"] == "judge"
    judge(run, root, "http://127.0.0.1:9/v1", key_env="WEBDS_NO_SUCH_KEY")
    assert "WEBDS_NO_SUCH_KEY" in word(run)["why"]


def test_samples_that_differ_are_counted(tmp_path: Path) -> None:
    def wavering(body: dict[str, Any]) -> Said:
        return bot({"source": {"met": False}} if body["seed"] == 2 else None)(body)

    run, root = built(tmp_path)
    with serving([wavering]) as endpoint:
        judge(run, root, endpoint.url)
    found = word(run)
    assert (found["passed"], found["stars"]) == (True, 5)
    assert [sample["stars"] for sample in found["samples"]] == [5, 5, 3]
    assert "flip rate 0.33" in found["why"]
    assert found["parts"][1]["parsed"]["flip_rate"] == 0.3333


def test_the_typed_judge_counts_and_disagreements_are_listed(tmp_path: Path) -> None:
    run, root = built(tmp_path, passed=False)
    with serving([bot()]) as endpoint:
        lines = judge(run, root, endpoint.url)
    found = word(run)
    assert (found["passed"], found["stars"]) == (False, 2)
    assert lines[0]["disagrees"] is True
    rows = [json.loads(line) for line in (run / "disagreements.jsonl").read_text().splitlines()]
    assert [(row["task"], row["repeat"]) for row in rows] == [("t", 0)]


def test_a_model_does_not_judge_itself(tmp_path: Path) -> None:
    run, root = built(tmp_path)
    head = json.loads((run / "run.json").read_text())
    head["config"]["agents"] = {"llm": {"model": "m"}}
    (run / "run.json").write_text(json.dumps(head))
    with pytest.raises(InputFault, match="same_model"):
        judge(run, root, "http://127.0.0.1:9/v1")


@pytest.mark.parametrize(("name", "value"), [("mode", "sound"), ("samples", 0), ("colour", "red")])
def test_a_wrong_table_is_one_line(name: str, value: Any, tmp_path: Path) -> None:
    run, root = built(tmp_path)
    with pytest.raises(InputFault, match=name):
        judge(run, root, "http://127.0.0.1:9/v1", **{name: value})


def test_vision_sends_screenshots_and_marks_what_is_unquoted(tmp_path: Path) -> None:
    run, root = built(tmp_path)
    marks = {"source": {"met": True, "steps": [0], "image": True, "quote": ""}}
    with serving([bot(marks)]) as endpoint:
        judge(run, root, endpoint.url, mode="vision")
    assert len(endpoint.seen) == TEXT_CANARIES + 1 + 3
    pictures = [part for part in endpoint.seen[-1]["messages"][1]["content"] if part["type"] == "image_url"]
    assert len(pictures) == 2
    assert all(part["image_url"]["url"].startswith("data:image/png;base64,") for part in pictures)
    assert word(run)["samples"][0]["criteria"]["source"]["how"] == "unquoted"
    assert word(run)["passed"] is True


def test_a_long_trail_is_scored_for_relevance_and_its_cut_is_visible(tmp_path: Path) -> None:
    pages = [Act(name="goto", args={"url": f"/{n}"}, text=f"page {n} " + "filler " * 300) for n in range(30)]
    acts = (Act(name="goto", args={"url": "/0"}, text=PAGE), *pages, Act(name="submit", text="submitted"))
    run, root = built(tmp_path, acts=acts)
    with serving([bot()]) as endpoint:
        judge(run, root, endpoint.url, canaries=False, samples=1, room=8_000)
        assert len(endpoint.seen) == 2 + 1  # 32 steps in batches of 24
        text = asked(endpoint.seen[-1])[2]
        assert '"step":7,' in text
        assert '"step":31,' in text
        assert '"step":20,' not in text
        assert "left_out" in text
        assert word(run)["passed"] is True
        judge(run, root, endpoint.url, canaries=False, samples=1, room=8_000, force=True)
        assert len(endpoint.seen) == 3


def test_broken_evidence_and_a_missing_key_are_named(tmp_path: Path) -> None:
    run, root = built(tmp_path, ("a", "b"))
    keys = root / "tasks_public" / "group" / "keys.toml"
    keys.write_text(keys.read_text().split("[[key]]")[1].join(("[[key]]", "")))
    path = run / "episodes" / "a~0" / "try-1" / "trajectory.jsonl"
    path.write_bytes(path.read_bytes().replace(b"42 gigawatt", b"43 gigawatt"))
    with serving([bot()]) as endpoint:
        judge(run, root, endpoint.url)
    assert not endpoint.seen
    assert (word(run, "a")["blame"], word(run, "b")["blame"]) == ("evidence", "key")


@pytest.mark.parametrize("change", ["word", "key", "ungraded"])
def test_a_verdict_stands_on_the_key_and_the_typed_word_of_now(change: str, tmp_path: Path) -> None:
    """Asked again only what the key changes; the replies that hold are read from the cache."""
    run, root = built(tmp_path, **({"ungraded": "key"} if change == "ungraded" else {"passed": True}))
    typed = run / "episodes" / "t~0" / "try-1" / "verdicts" / "tier1.json"
    with serving([bot()]) as endpoint:
        judge(run, root, endpoint.url, canaries=False)
        assert word(run)["passed"] is True
        assert judge(run, root, endpoint.url, canaries=False)[-1]["kept"] == 1
        asked_before = len(endpoint.seen)
        if change == "key":
            keys = root / "tasks_public" / "group" / "keys.toml"
            keys.write_text(keys.read_text().replace("reference = 42", "reference = 43"))
        else:
            word_of = json.loads(typed.read_text())
            said = {name: word_of[name] for name in ("judge", "evidence", "why")}
            typed.write_text(json.dumps({**said, "kind": "verdict", "passed": False}))
        lines = judge(run, root, endpoint.url, canaries=False)
    assert lines[-1]["kept"] == 0
    assert (len(endpoint.seen) > asked_before) is (change == "key")
    assert word(run)["passed"] is (change == "key")


def test_a_verdict_whose_key_is_gone_stays(tmp_path: Path) -> None:
    run, root = built(tmp_path)
    with serving([bot()]) as endpoint:
        url = f"rubric.base_url={endpoint.url}"
        assert verb(run, root, "--set", "rubric.model=m", "--set", url)[0] == 0
    before = kept(run)
    assert b'"passed":true' in before["episodes/t~0/try-1/verdicts/tier1.json"].replace(b" ", b"")
    (root / "tasks_public" / "group" / "keys.toml").unlink()
    code, out = verb(run, root, "--force")
    assert (code, out.count("\n")) == (2, 1), out
    assert "no key here for 1 of 1 episodes" in out
    assert kept(run) == before
    judge(run, root, "http://127.0.0.1:9/v1", force=True)
    assert kept(run) == before


def test_the_canaries_are_what_they_say() -> None:
    assert {canary.false for canary in CANARIES} == {"value", "source"}
    assert all(canary.answer != "4182" for canary in CANARIES if canary.false == "value")


def verb(run: Path, root: Path, *words: str, offline: bool = False) -> tuple[int, str]:
    """`webds judge run` as a process; offline: in a network namespace of its own where the host allows it."""
    command = [sys.executable, "-m", "webds", "judge", "run", str(run), "--root", str(root), "--json", *words]
    apart = ["unshare", "-rn"]
    if offline and subprocess.run([*apart, "true"], capture_output=True, check=False).returncode == 0:
        command = [*apart, *command]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    return done.returncode, done.stdout if done.returncode == 0 else done.stderr


def test_the_verb_keeps_its_settings_in_the_run(tmp_path: Path) -> None:
    run, root = built(tmp_path)
    with serving([bot()]) as endpoint:
        code, out = verb(run, root, "--set", "rubric.model=m", "--set", f"rubric.base_url={endpoint.url}")
    assert code == 0, out
    assert json.loads(out)["rubric"]["words"] == {"verdict": 1}
    table = json.loads((run / "rubric.json").read_text())["table"]
    assert table == {"model": "m", "base_url": endpoint.url}
    code, out = verb(run, root, "--set", "limits.page=3")
    assert (code, out.count("\n")) == (2, 1), out


@pytest.mark.long
def test_judge_run_again_is_equal_byte_for_byte_without_a_network(tmp_path: Path) -> None:
    run, root = built(tmp_path, ("a", "b"))
    with serving([bot()]) as endpoint:
        url = f"rubric.base_url={endpoint.url}"
        code, out = verb(run, root, "--set", "rubric.model=m", "--set", url, "--set", "rubric.retries=0")
    assert code == 0, out
    assert json.loads(out)["rubric"]["words"] == {"verdict": 2}
    before = kept(run)
    assert len(before) == 5
    code, out = verb(run, root, "--force", offline=True)
    assert (code, kept(run) == before) == (0, True), out
    shutil.rmtree(run / "judge")
    code, out = verb(run, root, "--force", offline=True)
    assert json.loads(out)["rubric"]["words"] == {"judge": 2}
    after = kept(run)
    assert all(after[path] == before[path] for path in before if path.endswith("tier1.json"))
    assert all(json.loads(after[path])["blame"] == "judge" for path in after if path.endswith("rubric.json"))


def test_tries_of_several_runs_are_one_batch(tmp_path: Path) -> None:
    """One gate and one cache for all, each run's own tasks, and the agent's model told from outside is refused."""
    (first, root), (second, _) = built(tmp_path / "a", ("x",)), built(tmp_path / "b", ("x", "y"))
    keys = [path / "root" / "tasks_public" / "group" / "keys.toml" for path in (tmp_path / "a", tmp_path / "b")]
    keys[0].write_text(keys[1].read_text())
    with serving([bot()]) as endpoint:
        lines = judge(first, root, endpoint.url, others=[second])
        assert len(endpoint.seen) == TEXT_CANARIES + 2 * 3  # task x is asked about alike in both runs
        with pytest.raises(InputFault, match="'m' is the agent's own model"):
            judge(first, root, endpoint.url, models=["m"])
    assert [(line.get("kind"), line.get("done")) for line in lines] == [("verdict", None)] * 3 + [(None, 3)]
    assert [word(run, name)["passed"] for run, name in ((first, "x"), (second, "x"), (second, "y"))] == [True] * 3
    assert not (second / "judge").exists()


def test_an_endpoint_that_refuses_sampling_can_judge(tmp_path: Path) -> None:
    """As newer models do: no temperature, no seed, and another name for the limit. Its verdicts have another stamp."""
    run, root = built(tmp_path)

    def picky(body: dict[str, Any]) -> Said:
        refused = {"temperature", "seed", "max_tokens"} & body.keys()
        return {"status": 400, "body": {"error": {"message": f"unsupported: {refused}"}}} if refused else bot()(body)

    with serving([picky]) as endpoint:
        judge(run, root, endpoint.url, canaries=False)
        assert word(run)["kind"] == "ungraded"
        mended: dict[str, Any] = {"leave_out": ["temperature", "seed"], "max_tokens_field": "max_completion_tokens"}
        judge(run, root, endpoint.url, canaries=False, **mended)
    assert (word(run)["kind"], word(run)["stars"]) == ("verdict", 5)
    assert endpoint.seen[-1]["max_completion_tokens"] == 2048
    assert word(run)["judge"]["settings"] != read({"model": "m", "base_url": endpoint.url}).stamp
