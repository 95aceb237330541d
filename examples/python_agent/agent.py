"""An agent for webds in plain Python: it talks to the episode's HTTP API and, where the run has one, to its model.

webds run --agent external --set 'agents.external.command=["python", "{agent}/agent.py"]' \
  --set agents.external.folder=examples/python_agent --set agents.external.model=NAME --set agents.external.base_url=URL
"""

import json
import os
import urllib.request
from typing import Any


def call(path: str, body: object = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(os.environ["WEBDS_URL"] + path, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def ask(task: Any, page: Any, done: list[Any]) -> Any:
    """The model's next action, as {"name": ..., "args": {...}}."""
    rules = 'Reply with one JSON object {"name": ..., "args": {...}} and nothing else. Actions: '
    messages = [
        {"role": "system", "content": rules + json.dumps(task["actions"])},
        {
            "role": "user",
            "content": f"Task: {task['prompt']}\nDone so far: {json.dumps(done)}\nPage:\n{page['text'][:20000]}",
        },
    ]
    reply = call("/v1/chat/completions", {"messages": messages})["choices"][0]["message"]["content"]
    return json.loads(reply[reply.index("{") : reply.rindex("}") + 1])


task, page = call("/task"), call("/observe")
done: list[Any] = []
while True:
    action = ask(task, page, done)
    page = call("/act", action)
    if page.get("submitted"):
        break
    done.append({**action, "refused": page["refused"]})
