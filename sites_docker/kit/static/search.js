"use strict";
// The query is in the address, the index is one file: see sites_docker/kit/search.py, which finds the same.
(async () => {
  const place = document.getElementById("search-page");
  const said = place.querySelector(".search-said");
  const list = place.querySelector(".search-list");
  const words = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const query = (new URLSearchParams(location.search).get("q") ?? "").slice(0, 100);
  for (const input of document.querySelectorAll("input[name=q]")) input.value = query;
  const asked = words(query);
  if (!asked.length) { said.textContent = "Type a word into the search box."; return; }
  const { entries, terms, limit } = await (await fetch(place.dataset.src)).json();
  const holding = (word) => {
    const found = new Set();
    for (const [term, numbers] of Object.entries(terms)) if (term.startsWith(word)) numbers.forEach((n) => found.add(n));
    return found;
  };
  const sets = asked.map(holding);
  const misses = (title) => {
    const held = words(title);
    return asked.filter((word) => !held.some((term) => term.startsWith(word))).length;
  };
  const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  const found = [...sets[0]].filter((n) => sets.every((set) => set.has(n))).sort((a, b) => a - b)
    .map((n) => ({ entry: entries[n], misses: misses(entries[n][0]) }))
    .sort((a, b) => a.misses - b.misses || a.entry[4] - b.entry[4] || order(a.entry[0], b.entry[0]));
  const count = found.length === 1 ? "1 result" : `${found.length} results`;
  said.textContent = `${count} for ${query}${found.length > limit ? `, the first ${limit} shown` : ""}`;
  for (const { entry: [title, url, kind, note] } of found.slice(0, limit)) {
    const link = Object.assign(document.createElement("a"), { href: url, textContent: title });
    const row = document.createElement("li");
    const small = Object.assign(document.createElement("small"), { textContent: kind });
    row.append(small, link);
    if (note) row.append(Object.assign(document.createElement("p"), { textContent: note }));
    list.append(row);
  }
})();
