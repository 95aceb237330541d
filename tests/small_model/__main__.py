"""`make llm`: fetch the small model and serve it until Ctrl-C. An argument is the port (8080; 0: a free one)."""

import signal
import sys

from tests.small_model.place import Unavailable
from tests.small_model.server import MODEL, serving


def main() -> int:
    """Exit code: 0, or 3 where the model cannot be had."""
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8080
    try:
        with serving(port=port) as address:
            print(f"small model: serving {MODEL} at {address}/v1 until Ctrl-C; for example")
            print(
                "  webds run --agent llm --set agents.llm.profile=small --set agents.llm.first=600 --limit 1 "
                f"--set agents.llm.model={MODEL} --set agents.llm.base_url={address}/v1",
                flush=True,
            )
            _wait()
    except Unavailable as error:
        print(f"small model: {error}", file=sys.stderr)
        return 3
    return 0


def _wait() -> None:
    try:
        signal.pause()
    except KeyboardInterrupt:
        print()


if __name__ == "__main__":
    sys.exit(main())
