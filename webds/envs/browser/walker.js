// One walk over a document: a text outline with an id on everything that can be acted on.
// Called as (options) => ({text, marks, count}). Ids live in a WeakMap kept under one symbol, so that an element
// keeps its id as long as it lives. Tables are read through table.rows: their size does not set the time.
(options) => {
  const store = (globalThis[Symbol.for('webds.walker')] ??= { ids: new WeakMap(), byId: new Map(), next: options.first });
  const lines = [];
  const marks = {};
  let budget = options.limit;
  const HEAD = 5, TAIL = 2, COLUMNS = 16;
  const SKIP = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'HEAD', 'META', 'LINK', 'BASE']);
  const clean = (text, most = 300) => {
    const flat = String(text ?? '').replace(/\s+/g, ' ').trim();
    return flat.length > most ? flat.slice(0, most) + '…' : flat;
  };
  const idOf = (element) => {
    let id = store.ids.get(element);
    if (!id) {
      id = String(store.next++);
      store.ids.set(element, id);
      store.byId.set(id, new WeakRef(element));
    }
    return id;
  };
  const visible = (element) => {
    if (element.checkVisibility && !element.checkVisibility({ visibilityProperty: true })) return false;
    return element.getAttribute('aria-hidden') !== 'true';
  };
  const labelled = (element) => {
    const ids = (element.getAttribute('aria-labelledby') || '').split(/\s+/).filter(Boolean);
    const texts = ids.map((id) => element.getRootNode().getElementById?.(id)?.textContent ?? '');
    return texts.join(' ');
  };
  const nameOf = (element) => {
    const label = labelled(element) || element.getAttribute('aria-label');
    if (label) return clean(label);
    if (element.labels?.length) {
      const texts = [...element.labels].map((l) => {
        const copy = l.cloneNode(true);
        copy.querySelectorAll('input,select,textarea').forEach((x) => x.remove());
        return copy.textContent;
      });
      return clean(texts.join(' '));
    }
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName)) {
      const button = /^(submit|button|reset)$/.test(element.type) ? element.value : '';
      return clean(button || element.getAttribute('placeholder') || element.title || element.name);
    }
    const alt = [...element.querySelectorAll?.('img[alt],svg title') ?? []].map((x) => x.alt ?? x.textContent).join(' ');
    return clean(element.innerText || alt || element.title || element.getAttribute('alt'));
  };
  const ROLES = { A: 'link', BUTTON: 'button', SELECT: 'combobox', TEXTAREA: 'textbox', SUMMARY: 'button', OPTION: 'option' };
  const INPUTS = { checkbox: 'checkbox', radio: 'radio', submit: 'button', button: 'button', reset: 'button',
    image: 'button', range: 'slider', search: 'searchbox', number: 'spinbutton', file: 'file', color: 'color' };
  const roleOf = (element) => {
    const given = (element.getAttribute('role') || '').split(' ')[0];
    if (given) return given;
    if (element.tagName === 'A') return element.hasAttribute('href') ? 'link' : '';
    if (element.tagName === 'INPUT') return element.type === 'hidden' ? '' : INPUTS[element.type] || 'textbox';
    return ROLES[element.tagName] || '';
  };
  const ACTIONABLE = new Set(['link', 'button', 'combobox', 'textbox', 'searchbox', 'checkbox', 'radio', 'slider',
    'spinbutton', 'file', 'color', 'menuitem', 'tab', 'switch', 'option', 'treeitem', 'gridcell']);
  const put = (depth, text) => {
    if (budget <= 0) return;
    const line = '  '.repeat(Math.min(depth, 12)) + text;
    budget -= line.length + 1;
    lines.push(budget <= 0 ? '… the rest of the page is left out; scroll or use find' : line);
  };
  const box = (element) => {
    const r = element.getBoundingClientRect();
    return [Math.round(r.x), Math.round(r.y), Math.round(r.width), Math.round(r.height)];
  };
  const states = (element) => {
    const out = [];
    if (element.disabled || element.getAttribute('aria-disabled') === 'true') out.push('disabled');
    if (element.checked) out.push('checked');
    const expanded = element.getAttribute('aria-expanded') ?? (element.tagName === 'SUMMARY' ? String(element.parentElement?.open) : null);
    if (expanded !== null) out.push(expanded === 'true' ? 'expanded' : 'collapsed');
    if (element.getAttribute('aria-current')) out.push('current');
    if (element === document.activeElement) out.push('focused');
    if (/^(INPUT|TEXTAREA)$/.test(element.tagName) && !/^(checkbox|radio|submit|button|password)$/.test(element.type) && element.value)
      out.push('value ' + JSON.stringify(clean(element.value, 120)));
    if (element.tagName === 'SELECT') {
      out.push('value ' + JSON.stringify(clean(element.selectedOptions[0]?.text)));
      const all = [...element.options].map((o) => clean(o.text, 40));
      out.push('options ' + JSON.stringify(all.slice(0, 30)) + (all.length > 30 ? ` and ${all.length - 30} more` : ''));
    }
    return out.length ? ' (' + out.join(', ') + ')' : '';
  };
  const actionable = (element, role, depth) => {
    const id = idOf(element);
    marks[id] = { role, box: box(element) };
    const name = nameOf(element);
    marks[id].name = name;
    const target = role === 'link' ? ' -> ' + clean(element.getAttribute('href'), 200) : '';
    put(depth, `[${id}] ${role} ${JSON.stringify(name)}${states(element)}${target}`);
  };
  const rowText = (row) => [...row.cells].slice(0, COLUMNS).map((c) => clean(c.textContent, 80)).join(' | ')
    + (row.cells.length > COLUMNS ? ` | … ${row.cells.length - COLUMNS} more columns` : '');
  const table = (element, depth) => {
    const rows = element.rows;
    const id = idOf(element);
    const title = clean(element.caption?.textContent || labelled(element) || element.getAttribute('aria-label'));
    put(depth, `[${id}] table ${JSON.stringify(title)} ${rows.length} rows`);
    marks[id] = { role: 'table', box: box(element), name: title };
    const shown = rows.length <= options.rows ? [...rows] : [...Array(HEAD + 1).keys()].map((i) => rows[i]);
    for (const row of shown) tableRow(row, depth + 1);
    if (rows.length > options.rows) {
      put(depth + 1, `… ${rows.length - shown.length - TAIL} rows left out`);
      for (let i = rows.length - TAIL; i < rows.length; i++) tableRow(rows[i], depth + 1);
    }
  };
  const tableRow = (row, depth) => {
    put(depth, '| ' + rowText(row) + ' |');
    for (const link of row.querySelectorAll('a[href],button,input,select')) {
      const role = roleOf(link);
      if (role && visible(link)) actionable(link, role, depth + 1);
    }
  };
  const HEADINGS = /^H[1-6]$/;
  const LANDMARKS = { NAV: 'navigation', MAIN: 'main', FOOTER: 'footer', HEADER: 'header', ASIDE: 'aside', FORM: 'form', DIALOG: 'dialog' };
  const pending = [];
  const flush = (depth) => {
    const text = clean(pending.join(' '), 2000);
    pending.length = 0;
    if (text) put(depth, text);
  };
  const walk = (node, depth) => {
    if (budget <= 0 || depth > 400) return;
    if (node.nodeType === Node.TEXT_NODE) {
      if (node.data.trim()) pending.push(node.data);
      return;
    }
    if (node.nodeType !== Node.ELEMENT_NODE || SKIP.has(node.tagName) || !visible(node)) return;
    element(node, depth);
  };
  const children = (node, depth) => {
    for (const child of (node.shadowRoot ?? node).childNodes) walk(child, depth);
  };
  const element = (node, depth) => {
    const role = roleOf(node);
    if (ACTIONABLE.has(role)) {
      flush(depth);
      actionable(node, role, depth);
      return;
    }
    const block = !/^(inline|contents)/.test(getComputedStyle(node).display);
    if (block) flush(depth);
    special(node, depth);
    if (block) flush(depth + 1);
  };
  const special = (node, depth) => {
    const tag = node.tagName.toUpperCase();
    if (tag === 'TABLE') return flush(depth), table(node, depth);
    if (HEADINGS.test(tag)) {
      const links = node.querySelectorAll('a[href]');
      put(depth, `heading ${tag[1]} ${JSON.stringify(clean(node.innerText))}`);
      for (const link of links) actionable(link, 'link', depth + 1);
      return;
    }
    if (tag === 'IMG' || tag === 'CANVAS' || tag === 'SVG') {
      const name = node.getAttribute('alt') || node.getAttribute('aria-label') || node.querySelector('title')?.textContent;
      const size = box(node);
      if (name || size[2] > 64) put(depth, `${tag === 'IMG' ? 'image' : tag.toLowerCase()} ${JSON.stringify(clean(name))} at ${size}`);
      return;
    }
    const landmark = LANDMARKS[tag];
    if (landmark) put(depth, landmark + (node.getAttribute('aria-label') ? ' ' + JSON.stringify(clean(node.getAttribute('aria-label'))) : ''));
    children(node, landmark ? depth + 1 : depth);
  };
  if (document.body) children(document.body, 0);
  flush(0);
  return { text: lines.join('\n'), marks, next: store.next };
}
