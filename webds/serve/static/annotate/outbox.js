// Labels that the server has not acknowledged yet wait here, in the browser: a dead server or a closed tab loses none.
const alias = document.querySelector("[data-alias]").dataset.alias;
const box = `webds-annotate-outbox ${alias}`;
const csrf = document.querySelector("meta[name=csrf]").content;
const status = document.getElementById("status");

export function say(text, bad = false) {
  status.textContent = text;
  status.classList.toggle("bad", bad);
}

export function post(address, value, more = {}) {
  return fetch(address, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf, Accept: "application/json" },
    body: JSON.stringify(value),
    ...more,
  });
}

const waiting = () => JSON.parse(localStorage.getItem(box) || "[]");
const keep = (list) => localStorage.setItem(box, JSON.stringify(list));
const wait = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

export function put(item, form) {
  keep([...waiting().filter((one) => one.item !== item), { item, form }]);
}

export function kept(item) {
  return waiting().find((one) => one.item === item)?.form;
}

async function send(one) {
  try {
    const answer = await post(`/annotate/items/${one.item}/label`, one.form);
    if (answer.status === 401) return { again: true, why: "You are signed out. Open your invite link again; your label is kept here." };
    if (answer.status === 429 || answer.status >= 500) return { again: true, why: "The server is busy. Your label is kept here." };
    const said = await answer.json();
    return answer.ok ? said : { refused: said.error || `refused (${answer.status})` };
  } catch {
    return { again: true, why: "The server does not answer. Your label is kept in this browser and sent again." };
  }
}

// Sends what waits, oldest first, until all of it is acknowledged or refused. Returns what was said of the last one.
let running = null;
export function flush() {
  running ??= sendAll().finally(() => (running = null));
  return running;
}

async function sendAll() {
  let last = null;
  for (let one; (one = waiting()[0]); ) {
    const said = await send(one);
    if (said.again) {
      say(said.why, true);
      await wait(1.5);
      continue;
    }
    keep(waiting().filter((other) => JSON.stringify(other) !== JSON.stringify(one)));
    last = { item: one.item, ...said };
    if (said.refused) say(`Not saved: ${said.refused}`, true);
  }
  return last;
}
