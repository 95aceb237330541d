// An agent for webds in plain JavaScript (Node 18 or newer, no packages): HTTP API and the run's model.
//
// webds run --agent external --set 'agents.external.command=["node", "{agent}/agent.mjs"]' \
//   --set agents.external.folder=examples/node_agent --set agents.external.model=NAME --set agents.external.base_url=URL

async function call(path, body) {
  const options = body && {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  const answer = await fetch(process.env.WEBDS_URL + path, options);
  const value = await answer.json();
  if (!answer.ok) throw new Error(JSON.stringify(value.error));
  return value;
}

// The model's next action, as {name, args}.
async function ask(task, page, done) {
  const rules = 'Reply with one JSON object {"name": ..., "args": {...}} and nothing else. Actions: ';
  const shown = page.text.slice(0, 20000);
  const messages = [
    { role: "system", content: rules + JSON.stringify(task.actions) },
    { role: "user", content: `Task: ${task.prompt}\nDone so far: ${JSON.stringify(done)}\nPage:\n${shown}` },
  ];
  const reply = (await call("/v1/chat/completions", { messages })).choices[0].message.content;
  return JSON.parse(reply.slice(reply.indexOf("{"), reply.lastIndexOf("}") + 1));
}

const task = await call("/task");
const done = [];
let page = await call("/observe");
while (!page.submitted) {
  const action = await ask(task, page, done);
  page = await call("/act", action);
  done.push({ ...action, refused: page.refused });
}
