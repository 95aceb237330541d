// What a person does on a page, told as the session's actions. Points are CSS pixels of the top window.
(() => {
  const tell = window.webdsPerson;
  if (!tell || window.webdsPersonHeard) return;
  Object.defineProperty(window, "webdsPersonHeard", { value: true });
  const fields = "input:not([type=button],[type=submit],[type=reset],[type=checkbox],[type=radio],[type=image]),textarea";
  const keys = ["Enter", "Escape", "Tab", "ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End"];
  const shift = () => {
    let x = 0, y = 0, here = window;
    try {
      while (here !== here.parent && here.frameElement) {
        const box = here.frameElement.getBoundingClientRect();
        x += box.left; y += box.top; here = here.parent;
      }
    } catch { /* a frame of another site: its own points are all there is */ }
    return [x, y];
  };
  const middle = (element) => {
    const box = element.getBoundingClientRect(), [x, y] = shift();
    return { x: Math.round(x + box.left + box.width / 2), y: Math.round(y + box.top + box.height / 2) };
  };
  const told = new WeakMap();
  const filled = (element) => {
    if (!element?.matches?.(fields) || !told.has(element) || told.get(element) === element.value) return;
    told.set(element, element.value);
    tell({ name: "fill", args: { ...middle(element), text: element.type === "password" ? "" : element.value } });
  };
  addEventListener("focusin", (event) => {
    const element = event.composedPath()[0];
    if (element?.matches?.(fields)) told.set(element, element.value);
  }, true);
  addEventListener("click", (event) => {
    if (!event.isTrusted || event.detail === 0) return; // a script's, or the one that Enter makes of itself
    const [x, y] = shift();
    tell({ name: "click", args: { x: Math.round(x + event.clientX), y: Math.round(y + event.clientY) } });
  }, true);
  addEventListener("focusout", (event) => event.isTrusted && filled(event.composedPath()[0]), true);
  addEventListener("change", (event) => {
    const element = event.composedPath()[0];
    if (!event.isTrusted || !element?.matches?.("select")) return filled(element);
    const options = [...element.selectedOptions].map((option) => option.text);
    tell({ name: "select", args: { ...middle(element), options } });
  }, true);
  addEventListener("keydown", (event) => {
    if (!event.isTrusted || event.repeat) return;
    const chord = event.ctrlKey || event.metaKey || event.altKey;
    if (event.key === "Enter") filled(event.composedPath()[0]);
    if (keys.includes(event.key) || (chord && event.key.length === 1)) {
      const held = [event.ctrlKey && "Control", event.altKey && "Alt", event.metaKey && "Meta"].filter(Boolean);
      tell({ name: "press", args: { key: [...held, event.key].join("+") } });
    }
  }, true);
})();
