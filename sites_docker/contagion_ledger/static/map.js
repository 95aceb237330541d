"use strict";
// A sheet: figures come packed (see packed.py of this site) and are drawn on a canvas; an entry is told by the tip only.
(async () => {
  const LEFT = 122, TOP = 18, HIGH = 10, GAP = 6;
  const EDGES = [0.5, 2, 10, 30, 100, 300, 1000];
  const SHADES = ["#fbf1dc", "#f5dfba", "#ecc08d", "#dd9865", "#c66f48", "#a54a37", "#7b2d26", "#4a1716"];
  const map = document.getElementById("map");
  const canvas = document.getElementById("cells");
  const tip = document.getElementById("tip");
  const form = document.getElementById("locate");
  const names = [...form.area.options].map((option) => option.text);
  const slugs = [...form.area.options].map((option) => option.value);

  const bytes = new Uint8Array(await (await fetch(map.dataset.src)).arrayBuffer());
  const first = bytes[4] | bytes[5] << 8, years = bytes[6], areas = bytes[7];
  let place = 8;
  const next = () => {
    let value = 0, factor = 1, byte;
    do { byte = bytes[place++]; value += (byte & 127) * factor; factor *= 128; } while (byte > 127);
    return value % 2 ? -(value + 1) / 2 : value / 2;
  };
  const weeks = new Uint8Array(areas * years), cases = new Int32Array(areas * years), people = new Int32Array(areas * years);
  for (let a = 0; a < areas; a++) {
    for (let y = 0, sum = 0; y < years; y++) {
      weeks[a * years + y] = bytes[place++];
      if (weeks[a * years + y] !== 255) cases[a * years + y] = sum += next();
    }
  }
  for (let a = 0; a < areas; a++) for (let y = 0, sum = 0; y < years; y++) people[a * years + y] = sum += next();

  const wide = Math.min(17, Math.floor(868 / years));
  const width = LEFT + years * wide + 1, height = TOP + (areas + 1) * HIGH + GAP + 1;
  const ratio = window.devicePixelRatio || 1;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  const top = (a) => TOP + a * HIGH + (a === areas ? GAP : 0);
  const left = (y) => LEFT + y * wide;
  const held = (y) => Array.from({ length: areas }, (_, a) => a).filter((a) => weeks[a * years + y] !== 255);

  const shade = (rate) => SHADES[EDGES.filter((edge) => rate >= edge).length];
  const hatch = (x, y) => {
    pen.fillStyle = "#f1e8d5";
    pen.fillRect(x, y, wide - 1, HIGH - 1);
    pen.strokeStyle = "#c9bca2";
    pen.beginPath();
    pen.moveTo(x, y + HIGH - 1);
    pen.lineTo(x + wide - 1, y);
    pen.stroke();
  };
  const cell = (a, y) => {
    const n = a * years + y, x = left(y), t = top(a);
    if (weeks[n] === 255) return;
    if (weeks[n] === 0) hatch(x, t);
    else if (people[n]) {
      pen.fillStyle = shade(cases[n] / people[n] * 100);
      pen.fillRect(x, t, wide - 1, HIGH - 1);
    } else {
      pen.strokeStyle = "#a08f74";
      pen.strokeRect(x + 0.5, t + 0.5, wide - 2, HIGH - 2);
    }
  };
  const total = (y) => {
    const all = held(y);
    const sum = all.reduce((value, a) => value + cases[a * years + y], 0);
    const reporting = all.filter((a) => weeks[a * years + y] > 0);
    const persons = reporting.reduce((value, a) => value + people[a * years + y], 0);
    return { sum, reporting: reporting.length, persons, held: all.length };
  };
  const draw = () => {
    pen.clearRect(0, 0, width, height);
    pen.textBaseline = "middle";
    pen.font = '9.5px "Source Serif 4",Georgia,serif';
    pen.fillStyle = "#2b2421";
    pen.textAlign = "right";
    for (let a = 0; a <= areas; a++) pen.fillText(names[a], LEFT - 6, top(a) + HIGH / 2);
    pen.textAlign = "center";
    pen.font = '10px "IBM Plex Mono",monospace';
    for (let y = 0; y < years; y++) if ((first + y) % 5 === 0) pen.fillText(String(first + y), left(y) + wide / 2, 9);
    for (let a = 0; a < areas; a++) for (let y = 0; y < years; y++) cell(a, y);
    for (let y = 0; y < years; y++) {
      const all = total(y);
      if (!all.held) continue;
      pen.fillStyle = shade(all.sum / all.persons * 100);
      pen.fillRect(left(y), top(areas), wide - 1, HIGH - 1);
    }
  };
  draw();
  document.fonts.ready.then(draw);

  const number = new Intl.NumberFormat("en-US");
  const cases_ = (count) => `${number.format(count)} ${count === 1 ? "case" : "cases"} reported`;
  const entry = (a, y) => {
    if (a === areas) {
      const all = total(y);
      return all.held ? [cases_(all.sum), `by ${all.reporting} of ${all.held} areas`] : ["not on this sheet"];
    }
    const n = a * years + y;
    if (weeks[n] === 255) return ["not on this sheet"];
    if (weeks[n] === 0) return ["no report", "0 of 52 weeks"];
    return [cases_(cases[n]), `${weeks[n]} of 52 weeks`];
  };
  const at = (x, y) => {
    const column = Math.floor((x - LEFT) / wide);
    const row = y >= TOP + areas * HIGH + GAP ? areas : Math.floor((y - TOP) / HIGH);
    const between = y >= TOP + areas * HIGH && y < TOP + areas * HIGH + GAP;
    const inside = column >= 0 && column < years && row >= 0 && row <= areas && y < height - 1 && !between;
    return inside ? [row, column] : null;
  };
  const show = (x, y) => {
    const found = at(x, y);
    tip.hidden = !found;
    if (!found) return;
    tip.textContent = `${names[found[0]]}, ${first + found[1]}:\n${entry(...found).join(",\n")}`;
    const scroller = map.parentElement;
    const right = scroller.scrollLeft + scroller.clientWidth;
    tip.style.left = `${x + 16 + 200 > right ? x - 16 - tip.offsetWidth : x + 16}px`;
    tip.style.top = `${Math.min(Math.max(0, y - 20), height - tip.offsetHeight)}px`;
  };
  const where = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  for (const name of ["pointermove", "pointerdown"]) map.addEventListener(name, (event) => show(...where(event)));
  map.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") tip.hidden = true; });

  let pin = null;
  const mark = (a, y) => {
    pin?.remove();
    pin = Object.assign(document.createElement("button"), { type: "button", className: "pin" });
    pin.setAttribute("aria-label", `Marker: ${names[a]}, ${first + y}`);
    pin.style.cssText = `left:${left(y) - 2}px;top:${top(a) - 2}px;width:${wide + 3}px;height:${HIGH + 3}px`;
    map.append(pin);
    const scroller = map.parentElement;
    scroller.scrollLeft = Math.max(0, left(y) - scroller.clientWidth / 2);
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const year = Number(form.year.value) - first;
    form.year.setCustomValidity(Number.isInteger(year) && year >= 0 && year < years ? "" : `From ${first} to ${first + years - 1}`);
    if (form.reportValidity()) mark(form.area.selectedIndex, year);
  });
  form.year.addEventListener("input", () => form.year.setCustomValidity(""));
  const named = slugs.indexOf(location.hash.slice(1));
  if (named >= 0) {
    form.area.selectedIndex = named;
    mark(named, 0);
  }

  const swatches = document.getElementById("swatches");
  SHADES.forEach((colour, index) => {
    const label = index === 0 ? `under ${EDGES[0]}` : index === SHADES.length - 1 ? `${EDGES[index - 1]} and more` : `${EDGES[index - 1]}–${EDGES[index]}`;
    const sample = Object.assign(document.createElement("i"), { className: "sw" });
    sample.style.background = colour;
    const item = document.createElement("span");
    item.append(sample, label);
    swatches.append(item, " ");
  });
})();
