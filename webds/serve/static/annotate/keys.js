// One key for every field, while nobody types. They can be turned off: a screen reader may need the same keys.
const setting = "webds-annotate-shortcuts";
const button = document.getElementById("shortcuts");
const isOn = () => localStorage.getItem(setting) !== "off";

function show() {
  button.setAttribute("aria-pressed", String(isOn()));
  button.textContent = `Single-key shortcuts: ${isOn() ? "on" : "off"}`;
}
show();

export function shortcuts() {
  localStorage.setItem(setting, isOn() ? "off" : "on");
  show();
}

function typing(place) {
  return place.matches?.("textarea, select, input:not([type=radio]):not([type=checkbox])");
}

export function keys({ letters, digit, shifted, save }) {
  addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      save();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || document.querySelector("dialog[open]")) return;
    if (typing(event.target)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (!isOn() || event.repeat) return;
    // By place, not by sign: Shift and a digit is another sign on every keyboard.
    const number = /^(?:Digit|Numpad)([0-9])$/.exec(event.code)?.[1];
    const does = number === undefined ? letters[event.key.toLowerCase()] : () => (event.shiftKey ? shifted : digit)(Number(number));
    if (does) {
      event.preventDefault();
      does();
    }
  });
}
