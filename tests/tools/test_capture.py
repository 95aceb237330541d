"""Output of one call in bounded memory, whatever the pieces."""

from hypothesis import given, settings
from hypothesis import strategies as st

from webds.tools.capture import Capture


@settings(database=None)
@given(st.binary(max_size=300), st.lists(st.integers(1, 40), max_size=30), st.binary(max_size=40))
def test_any_split_gives_the_same_text(data, sizes, after):
    mark = b"\x00mark\x00"
    stream = data.replace(mark, b"") + mark + after
    capture = Capture(1000)
    capture.begin(mark)
    for size in [*sizes, len(stream)]:
        capture.feed(stream[:size])
        stream = stream[size:]
    assert capture.ended.is_set()
    assert capture.text() == (data.replace(mark, b"").partition(mark)[0].decode("utf-8", "replace"), False)


def test_a_cut_is_said_and_memory_stays_small():
    capture = Capture(10)
    capture.begin(b"END")
    for _ in range(1000):
        capture.feed(b"x" * 1000)
    capture.feed(b"END")
    assert capture.text() == ("x" * 10 + "\n[output cut: 10 characters shown, 999990 more bytes]", True)


def test_output_of_what_was_left_running_belongs_to_the_next_call():
    capture = Capture(10)
    capture.begin(b"1END")
    capture.feed(b"a1ENDlate")
    assert capture.text() == ("a", False)
    capture.begin(b"2END")
    capture.feed(b"b2END")
    assert capture.text() == ("lateb", False)
