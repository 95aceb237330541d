// Going through the steps, and a screenshot as large as the window or larger.
const steps = [...document.querySelectorAll("article.step")];
const dialog = document.getElementById("zoom");
const room = document.getElementById("zoom-room");
let at = -1;

export function step(by) {
  if (!steps.length) return;
  steps[at]?.classList.remove("current");
  at = Math.max(0, Math.min(steps.length - 1, at + by));
  steps[at].classList.add("current");
  steps[at].tabIndex = -1;
  steps[at].focus({ preventScroll: true });
  steps[at].scrollIntoView({ block: "start" });
}

export function openTexts() {
  const texts = [...(steps[Math.max(at, 0)]?.querySelectorAll("details") ?? [])];
  const open = texts.some((one) => !one.open);
  for (const one of texts) one.open = open;
}

function show(image) {
  const large = document.createElement("img");
  large.src = image.src;
  large.alt = image.alt;
  room.classList.remove("full");
  room.replaceChildren(large);
  dialog.showModal();
  room.focus();
}

export function zoom() {
  const images = steps[Math.max(at, 0)]?.querySelectorAll(".shot img");
  if (images?.length) show(images[images.length - 1]);
}

const size = () => room.classList.toggle("full");
document.getElementById("zoom-size").addEventListener("click", size);
dialog.addEventListener("keydown", (event) => ["+", "-", "m"].includes(event.key) && size());
document.addEventListener("click", (event) => {
  const image = event.target.closest("a.shot")?.querySelector("img");
  if (image) {
    event.preventDefault();
    show(image);
  }
});
