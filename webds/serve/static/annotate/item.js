import { flush, kept, post, put, say } from "./outbox.js";
import { keys, shortcuts } from "./keys.js";
import { openTexts, step, zoom } from "./trail.js";

const desk = document.querySelector(".desk");
const item = desk.dataset.item;
const form = document.getElementById("form");
const criteria = [...form.querySelectorAll("[data-criterion]")];
const here = `/annotate/items/${item}`;

// Time counts while the page is in front and somebody has moved within the last minute.
let seconds = Number(form.elements.seconds.value) || 0;
let moved = Date.now();
for (const what of ["keydown", "pointerdown", "pointermove", "scroll"]) {
  addEventListener(what, () => (moved = Date.now()), { passive: true });
}
setInterval(() => {
  if (document.visibilityState === "visible" && Date.now() - moved < 60_000) seconds += 1;
}, 1000);

function value() {
  const said = {};
  for (const one of criteria) {
    const name = one.dataset.criterion;
    said[name] = { yes: true, no: false }[form.elements[`criterion-${name}`].value] ?? null;
  }
  return {
    label: form.elements.label.value,
    stars: form.elements.stars.value ? Number(form.elements.stars.value) : null,
    criteria: said,
    failure: form.elements.failure.value,
    injection: form.elements.injection.checked,
    flagged: form.elements.flagged.checked,
    note: form.elements.note.value,
    reason: form.elements.reason?.value ?? "",
    seconds,
  };
}

function fill(given) {
  for (const name of ["label", "failure", "note", "reason"]) if (form.elements[name] && given[name] !== undefined) form.elements[name].value = given[name];
  if (given.stars) form.elements.stars.value = String(given.stars);
  for (const [name, met] of Object.entries(given.criteria ?? {})) {
    if (form.elements[`criterion-${name}`]) form.elements[`criterion-${name}`].value = met === null ? "" : met ? "yes" : "no";
  }
  for (const name of ["injection", "flagged"]) form.elements[name].checked = Boolean(given[name]);
}

let timer;
let touched = false;
async function draft() {
  clearTimeout(timer);
  if (!touched) return;
  touched = false;
  try {
    const answer = await post(`${here}/draft`, value(), { keepalive: true });
    if (answer.ok) say("Draft kept.");
  } catch {
    touched = true;
    say("The server does not answer; the draft is not kept yet.", true);
  }
}
function changed() {
  touched = true;
  clearTimeout(timer);
  timer = setTimeout(draft, 500);
}
form.addEventListener("input", changed);
addEventListener("pagehide", draft);

async function save() {
  if (!form.elements.label.value || !form.elements.stars.value) {
    say("Choose pass, fail or unsure, and 1 to 5 stars.", true);
    form.querySelector(form.elements.label.value ? "[name=stars]" : "[name=label]").focus();
    return;
  }
  clearTimeout(timer);
  touched = false;
  put(item, value());
  document.getElementById("save").disabled = true;
  say("Saving.");
  const said = await flush();
  document.getElementById("save").disabled = false;
  if (!said || said.refused) return;
  if (said.feedback) feedback(said);
  else location.assign(said.next);
}

function feedback(said) {
  document.getElementById("feedback-title").textContent = said.feedback.right
    ? "As known: " + said.feedback.known
    : `Known to be ${said.feedback.known}; you said ${said.feedback.said}`;
  document.getElementById("feedback-why").textContent = said.feedback.why;
  document.getElementById("feedback-next").href = said.next;
  document.getElementById("feedback").showModal();
}

async function go(address, refusal) {
  await draft();
  try {
    const answer = await post(address, {});
    const said = await answer.json();
    if (answer.ok) location.assign(said.next);
    else say(said.error ?? refusal, true);
  } catch {
    say("The server does not answer; try again.", true);
  }
}

async function reference() {
  const place = document.getElementById("reference-text");
  const button = document.getElementById("reference-open");
  if (!place.childNodes.length) {
    try {
      const answer = await post(`${here}/reference`, {});
      if (!answer.ok) throw new Error(answer.status);
      place.replaceChildren(...nodes(await answer.text()));
    } catch {
      say("The reference could not be loaded; try again.", true);
      return;
    }
  }
  place.hidden = !place.hidden;
  button.setAttribute("aria-expanded", String(!place.hidden));
  button.firstChild.textContent = place.hidden ? "Show the reference " : "Hide the reference ";
  if (!place.hidden) place.scrollIntoView({ block: "nearest" });
}

// Only for what our own templates have rendered, where everything is escaped; the policy allows no script in it either.
function nodes(html) {
  return [...new DOMParser().parseFromString(html, "text/html").body.childNodes];
}

async function preview(details, address) {
  const place = details.querySelector(".preview");
  place.textContent = "Loading.";
  try {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(answer.status);
    place.replaceChildren(...nodes(await answer.text()));
  } catch {
    place.textContent = "This file could not be shown.";
  }
}
for (const details of document.querySelectorAll("details.file")) {
  details.addEventListener("toggle", () => {
    if (details.open && !details.dataset.loaded) {
      details.dataset.loaded = "1";
      preview(details, details.dataset.src);
    }
  });
  details.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-part]");
    if (link) {
      event.preventDefault();
      preview(details, link.href);
    }
  });
}

function choose(name, wanted) {
  form.elements[name].value = wanted;
  const chosen = [...form.querySelectorAll(`[name="${name}"]`)].find((one) => one.checked);
  say(`${name}: ${chosen.closest("label").innerText.split(" ")[0].toLowerCase()}`);
  changed();
}

function turn(name) {
  const box = form.elements[name];
  box.checked = !box.checked;
  say(`${name === "flagged" ? "flag" : name}: ${box.checked ? "on" : "off"}`);
  changed();
}

function criterion(number) {
  const one = criteria[number];
  if (!one) return;
  const name = `criterion-${one.dataset.criterion}`;
  form.elements[name].value = { "": "yes", yes: "no", no: "" }[form.elements[name].value];
  say(`${one.dataset.criterion.replaceAll("_", " ")}: ${{ yes: "met", no: "not met", "": "open" }[form.elements[name].value]}`);
  one.scrollIntoView({ block: "nearest" });
  changed();
}

const back = () => desk.dataset.previous && draft().then(() => location.assign(`/annotate/items/${desk.dataset.previous}`));
const skip = () => !document.getElementById("skip").disabled && go(`${here}/skip`, "It could not be skipped.");
const undo = () => go("/annotate/undo", "Nothing could be undone.");

form.addEventListener("submit", (event) => {
  event.preventDefault();
  save();
});
for (const [id, does] of Object.entries({ back, skip, undo, "reference-open": reference, help: () => document.getElementById("keys").showModal(), shortcuts })) {
  document.getElementById(id).addEventListener("click", does);
}

keys({
  letters: {
    p: () => choose("label", "pass"),
    f: () => choose("label", "fail"),
    u: () => choose("label", "unsure"),
    i: () => turn("injection"),
    x: () => turn("flagged"),
    c: () => form.elements.failure.focus(),
    n: () => form.elements.note.focus(),
    r: reference,
    s: save,
    b: back,
    k: skip,
    z: undo,
    ".": () => step(1),
    ",": () => step(-1),
    m: zoom,
    d: openTexts,
    "?": () => document.getElementById("keys").showModal(),
  },
  digit: (number) => number >= 1 && number <= 5 && choose("stars", String(number)),
  shifted: (number) => criterion(number === 0 ? 9 : number - 1),
  save,
});

// A label of this item that waits in the browser is newer than what the server knows.
const own = kept(item);
if (own) fill(own);
const sent = await flush();
if (sent && !sent.refused) say("A label that had been waiting in this browser is saved now.");
