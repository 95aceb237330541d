"""BrowserGym's own record of a step: StepInfo.save_step_info. argv: chromium, url, folder, number of clicks."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import browsergym.core  # noqa: F401 - registers the environment
import gymnasium
from browsergym.core.action.highlevel import HighLevelActionSet
from browsergym.experiments.loop import StepInfo
from browsergym.utils.obs import flatten_axtree_to_str
from playwright.sync_api import BrowserType

_launch = BrowserType.launch


def launch(self: BrowserType, **options: Any) -> Any:
    """The library's chat window starts a browser of its own, which is to be the same one."""
    return _launch(self, **{"executable_path": sys.argv[1], **options})


BrowserType.launch = launch
folder = Path(sys.argv[3])
folder.mkdir()
env = gymnasium.make(
    "browsergym/openended",
    task_kwargs={"start_url": sys.argv[2]},
    action_mapping=HighLevelActionSet(["bid", "nav"]).to_python_code,
    viewport={"width": 1280, "height": 720},
    pw_chromium_kwargs={"executable_path": sys.argv[1]},
)
seen, _ = env.reset()
for number in range(int(sys.argv[4])):
    bid = re.search(r"\[(\w+)\] link 'States'", str(flatten_axtree_to_str(seen["axtree_object"])))
    assert bid
    action = f"click('{bid[1]}')"
    seen, reward, terminated, truncated, info = env.step(action)
    step = StepInfo(step=number, obs=seen, reward=reward, terminated=terminated, truncated=truncated, action=action)
    step.task_info = info.get("task_info")
    step.save_step_info(folder)
print(json.dumps({"bytes": sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())}))
env.close()
