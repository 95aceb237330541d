// The only script of ours that reads a page. One instance lives in each document, in Playwright's own isolated world,
// where the page cannot replace prototypes or getters; it is registered as the selector engine `webds`:
//   webds=12            the element with id 12, for Playwright's own click, fill, hover ...
//   webds=look:{...}    a detached element whose text is the JSON answer of an operation (see OPERATIONS at the end)
// Ids live in a WeakMap: an element keeps its id as long as it lives. Tables are read through `table.rows`: their size
// does not set the time. Every loop has a bound in nodes, characters or milliseconds.
(accname) => {
  const byId = new Map();
  const ids = new WeakMap();
  const closedRoots = new WeakMap();
  const checkedHosts = new WeakSet();
  const suspects = [];
  let lastChange = performance.now();
  let changes = 0;
  let harvest = null;

  const HEAD = 5, TAIL = 2, COLUMNS = 16, NODES = 60_000, SAMPLE = 40;
  const SKIP = new Set(['script', 'style', 'noscript', 'template', 'head', 'meta', 'link', 'base', 'title', 'datalist', 'source', 'track', 'param', 'wbr']);
  const INLINE = new Set(['a', 'b', 'i', 'u', 's', 'q', 'em', 'strong', 'span', 'sup', 'sub', 'code', 'small', 'mark', 'del', 'ins', 'label', 'abbr', 'time', 'font', 'cite', 'kbd', 'var', 'bdi', 'bdo', 'data']);
  const ACTIONABLE = new Set(['link', 'button', 'combobox', 'textbox', 'searchbox', 'checkbox', 'radio', 'slider', 'spinbutton', 'file', 'color',
    'menuitem', 'menuitemcheckbox', 'menuitemradio', 'tab', 'switch', 'option', 'treeitem', 'listbox', 'scrollbar', 'clickable', 'video', 'audio']);
  const LANDMARKS = new Set(['navigation', 'main', 'banner', 'contentinfo', 'complementary', 'form', 'search', 'region', 'dialog', 'alertdialog',
    'alert', 'status', 'article', 'figure', 'group', 'radiogroup', 'menu', 'menubar', 'toolbar', 'tablist', 'tabpanel', 'tree', 'feed', 'log', 'note', 'progressbar', 'meter', 'math', 'blockquote', 'timer', 'separator']);
  const NAMED_ONLY = new Set(['region', 'group', 'form', 'article', 'figure', 'status', 'separator', 'math', 'blockquote', 'note']);
  const INTERACTIVE = 'a[href],button,input,select,textarea,summary,[role=button],[role=link],[role=checkbox],[role=tab],[role=menuitem],[role=option],[role=switch],[role=combobox],[tabindex],[onclick],[contenteditable=""],[contenteditable=true]';

  const clean = (text, most = 300) => {
    let raw = String(text ?? '');
    if (raw.length > 20 * most) raw = raw.slice(0, 20 * most);
    const flat = raw.replace(/\s+/g, ' ').trim();
    return flat.length > most ? flat.slice(0, most) + '…' : flat;
  };
  const quote = (text) => JSON.stringify(text);
  const rootOf = (element) => element.shadowRoot ?? closedRoots.get(element) ?? null;
  const box = (element) => {
    const r = element.getBoundingClientRect();
    return [Math.round(r.x), Math.round(r.y), Math.round(r.width), Math.round(r.height)];
  };
  // An element without a box of its own may still show its children (display: contents).
  const shown = (element) => {
    if (element.getAttribute('aria-hidden') === 'true') return false;
    return element.checkVisibility() || getComputedStyle(element).display === 'contents';
  };
  const visible = (element) => shown(element) && getComputedStyle(element).visibility === 'visible';

  // Sub-frame documents load in any order, so ids are handed out by the caller: `first` is the next free one.
  let nextId = 0;
  // The first id in a document is the next full hundred: a small difference in one page does not shift the ids of the next.
  const startAt = (first) => { nextId = nextId ? Math.max(nextId, first) : Math.ceil((first - 1) / 100) * 100 + 1; };
  const idOf = (element) => {
    let id = ids.get(element);
    if (!id) {
      id = String(nextId++);
      ids.set(element, id);
      byId.set(id, new WeakRef(element));
    }
    return id;
  };

  const nameOf = (element, most = 300) => {
    let name = '';
    try {
      const huge = element.childElementCount > 200 || element.textContent.length > 20_000;
      name = huge ? element.getAttribute('aria-label') || element.textContent
        : accname.computeAccessibleName(element, { computedStyleSupportsPseudoElements: true });
    } catch {
      name = element.getAttribute('aria-label') || element.textContent; // cyclic or very deep references
    }
    name = clean(name, most);
    if (name) return name;
    return clean(element.getAttribute('placeholder') || element.getAttribute('title') || element.getAttribute('alt') || element.getAttribute('name') || '', most);
  };

  const SECTIONING = 'article,aside,main,nav,section';
  const plainRole = (element) => {
    const tag = element.localName;
    if (tag === 'input') {
      if (element.type === 'hidden') return '';
      if (element.type === 'file' || element.type === 'color') return element.type;
    }
    if ((tag === 'header' || tag === 'footer') && !element.hasAttribute('role') && element.closest(SECTIONING)) return '';
    if (tag === 'svg' || tag === 'canvas') return '';
    if (tag === 'search') return 'search';
    if (tag === 'blockquote') return 'blockquote';
    if (tag === 'video' || tag === 'audio') return element.controls ? tag : '';
    if (tag === 'a' && !element.hasAttribute('href') && !element.hasAttribute('role')) return '';
    let role = '';
    try { role = accname.getRole(element) || ''; } catch { role = ''; }
    if (role === 'presentation' || role === 'none' || role === 'generic') role = '';
    if (!role && tag === 'input') return 'textbox';
    return role;
  };
  // Things made clickable by script alone have no role: what the page's author shows is the hand cursor.
  const clickable = (element, style) => {
    if (element.isContentEditable && !element.parentElement?.isContentEditable) return 'textbox';
    if (element.hasAttribute('onclick') || (element.hasAttribute('tabindex') && element.tabIndex >= 0)) return 'clickable';
    if (element.getAttribute('draggable') === 'true') return 'clickable';
    if (style.cursor !== 'pointer' && style.cursor !== 'grab' && style.cursor !== 'move') return '';
    const parent = element.parentElement;
    if (parent && getComputedStyle(parent).cursor === style.cursor) return '';
    if (element.localName === 'label' && element.control && visible(element.control)) return '';
    return 'clickable';
  };

  const TOGGLES = /^(checkbox|radio)$/;
  const states = (element, role) => {
    const out = [];
    const attribute = (name) => element.getAttribute(name);
    if (element.matches(':disabled') || attribute('aria-disabled') === 'true') out.push('disabled');
    if (element.localName === 'input' && TOGGLES.test(element.type)) {
      if (element.indeterminate) out.push('mixed');
      else if (element.checked) out.push('checked');
    } else if (attribute('aria-checked') === 'true') out.push('checked');
    else if (attribute('aria-checked') === 'mixed') out.push('mixed');
    const open = element.localName === 'summary' ? String(element.parentElement?.open === true) : attribute('aria-expanded');
    if (open !== null && open !== undefined) out.push(open === 'true' ? 'expanded' : 'collapsed');
    if (attribute('aria-selected') === 'true') out.push('selected');
    if (attribute('aria-pressed') === 'true') out.push('pressed');
    if (attribute('aria-current') && attribute('aria-current') !== 'false') out.push('current');
    if (attribute('aria-haspopup') && attribute('aria-haspopup') !== 'false') out.push('has popup');
    if (element.required || attribute('aria-required') === 'true') out.push('required');
    if (attribute('aria-invalid') === 'true') out.push('invalid');
    if (element.getRootNode().activeElement === element) out.push('focused');
    fieldStates(element, role, out);
    return out.length ? ' (' + out.join(', ') + ')' : '';
  };
  const fieldStates = (element, role, out) => {
    const tag = element.localName;
    if (tag === 'input' || tag === 'textarea') {
      if (element.readOnly) out.push('read only');
      if (/^(date|time|month|week|datetime-local|email|tel|url|password)$/.test(element.type)) out.push(element.type);
      if (element.type === 'file') out.push(element.files.length ? 'file ' + quote([...element.files].map((f) => f.name).join(', ')) : 'no file');
      else if (element.type === 'range' || element.type === 'number') out.push(...['min', 'max'].filter((k) => element[k] !== '').map((k) => `${k} ${element[k]}`));
      if (!/^(checkbox|radio|submit|button|reset|image|password|file)$/.test(element.type) && element.value) out.push('value ' + quote(clean(element.value, 120)));
    } else if (tag === 'select') {
      const picked = [...element.selectedOptions].slice(0, 10).map((o) => clean(o.label, 60));
      out.push('value ' + quote(element.multiple ? picked : picked[0] ?? ''));
      const all = element.options;
      const names = [];
      for (let i = 0; i < Math.min(all.length, 30); i++) names.push(clean(all[i].label, 40));
      out.push('options ' + quote(names) + (all.length > 30 ? ` and ${all.length - 30} more` : ''));
    } else if (role === 'slider' || role === 'progressbar' || role === 'meter' || role === 'spinbutton' || role === 'scrollbar') {
      const now = element.getAttribute('aria-valuetext') ?? element.getAttribute('aria-valuenow') ?? (element.value === undefined ? null : String(element.value));
      if (now !== null) out.push('value ' + quote(clean(now, 60)));
    } else if (element.isContentEditable && element.textContent) out.push('value ' + quote(clean(element.textContent, 120)));
  };

  // ---- text of a cell as a person sees it: hidden parts out, ^ before raised marks, ~~ around struck-out values
  const seenText = (node, most = 400) => {
    const parts = [];
    let size = 0;
    const visit = (child, depth) => {
      if (size > most || depth > 40) return;
      if (child.nodeType === Node.TEXT_NODE) {
        const text = child.data.length > most ? child.data.slice(0, most) : child.data;
        parts.push(text);
        size += text.length;
        return;
      }
      if (child.nodeType !== Node.ELEMENT_NODE || SKIP.has(child.localName) || !visible(child)) return;
      const tag = child.localName;
      if (tag === 'br') return void parts.push(' ');
      if (tag === 'img' || tag === 'svg') return void parts.push(child.getAttribute('alt') || child.getAttribute('aria-label') || '');
      if (tag === 'input' || tag === 'select' || tag === 'textarea') return void parts.push(fieldText(child));
      const struck = tag === 'del' || tag === 's' || tag === 'strike';
      if (tag === 'sup' && size) parts.push('^');
      if (struck) parts.push('~~');
      const block = !INLINE.has(tag);
      if (block) parts.push(' ');
      for (const inner of (rootOf(child) ?? child).childNodes) visit(inner, depth + 1);
      if (block) parts.push(' ');
      if (struck) parts.push('~~');
    };
    for (const child of (rootOf(node) ?? node).childNodes) visit(child, 0);
    return clean(parts.join(''), most);
  };
  const fieldText = (field) => (TOGGLES.test(field.type) ? (field.checked ? '[x]' : '[ ]') : field.localName === 'select' ? field.selectedOptions[0]?.label ?? '' : field.type === 'password' ? '' : field.value ?? '');
  const cellText = (cell, most = 80) => (cell.firstElementChild || rootOf(cell) ? seenText(cell, most) : clean(cell.textContent, most));

  // ---- tables: <table>, role=table/grid/treegrid, virtualised or not, behind one face
  const GRID = '[role=table],[role=grid],[role=treegrid]';
  const CELLS = '[role=cell],[role=gridcell],[role=columnheader],[role=rowheader],td,th';
  const asTable = (element) => (element.localName === 'table' && !isGrid(element) ? htmlTable(element) : ariaTable(element));
  const isGrid = (element) => element.querySelector(':scope [role=row]') !== null && element.rows?.length === 0;
  const htmlTable = (element) => {
    const all = element.rows;
    let head = element.tHead ? element.tHead.rows.length : 0;
    if (!head) while (head < Math.min(all.length - 1, 4) && all[head].cells.length && [...all[head].cells].every((c) => c.localName === 'th')) head++;
    const foot = new Set(element.tFoot ? element.tFoot.rows : []);
    const rows = [];
    let hidden = 0;
    const first = element.tHead ? [...element.tHead.rows] : [];
    const known = new Set(first);
    for (let i = 0; i < all.length; i++) {
      const row = all[i];
      if (known.has(row) || foot.has(row)) continue;
      if (!element.tHead && i < head) { first.push(row); continue; }
      if (i < 20_000 && !row.checkVisibility()) { hidden++; continue; }
      rows.push(row);
    }
    return { element, head: first, rows, hidden, foot: [...foot], total: rows.length, virtual: false, spans: element.querySelector('[rowspan]') !== null, cells: (row) => [...row.cells] };
  };
  const ariaTable = (element) => {
    const mine = [...element.querySelectorAll('[role=row],tr')].filter((row) => row.closest(GRID + ',table') === element || row.closest(GRID) === element);
    const cells = (row) => [...row.querySelectorAll(CELLS)].filter((cell) => cell.parentElement.closest('[role=row],tr') === row);
    const isHead = (row) => { const list = cells(row); return list.length > 0 && list.every((c) => c.getAttribute('role') === 'columnheader' || (c.localName === 'th' && c.getAttribute('role') !== 'rowheader')); };
    const head = mine.filter(isHead);
    const rows = mine.filter((row) => !head.includes(row) && row.checkVisibility());
    const order = (row) => Number(row.getAttribute('aria-rowindex')) || 0;
    if (rows.length && order(rows[0])) rows.sort((a, b) => order(a) - order(b));
    const counted = Number(element.getAttribute('aria-rowcount'));
    const scroller = scrollerIn(element);
    const virtual = counted - head.length > rows.length || counted === -1 || (scroller !== null && rows.length > 0 && scroller.scrollHeight > 1.5 * heightOf(rows) + scroller.clientHeight);
    const total = virtual ? Math.max(counted > 0 ? counted - head.length : Math.round(scroller ? scroller.scrollHeight / (heightOf(rows) / rows.length || 1) : rows.length), rows.length) : rows.length;
    return { element, head, rows, hidden: 0, foot: [], total, virtual, spans: false, cells, order, scroller };
  };
  const heightOf = (rows) => rows.reduce((sum, row) => sum + row.getBoundingClientRect().height, 0);
  const scrolls = (element) => element.scrollHeight > element.clientHeight + 4 && /auto|scroll|overlay/.test(getComputedStyle(element).overflowY);
  const scrollerIn = (element) => {
    if (scrolls(element)) return element;
    let seen = 0;
    for (const inner of element.querySelectorAll('div,section,ul,tbody')) {
      if (++seen > 400) break;
      if (scrolls(inner)) return inner;
    }
    for (let up = element.parentElement; up && up !== document.body; up = up.parentElement) if (scrolls(up)) return up;
    return null;
  };
  // Rows as texts with row and column spans filled in, `from` and `to` count body rows.
  const span = (cell, what) => Math.min(Math.max(Number(cell.getAttribute(what)) || 1, 1), what === 'colspan' ? 60 : 500);
  const gridTexts = (table, list, from, to, most = 80, columns = 200) => {
    const out = [];
    const carried = [];
    for (let i = table.spans ? Math.max(0, from - 200) : from; i < Math.min(to, list.length); i++) {
      const row = [];
      let at = 0;
      const fill = () => { while (carried[at]?.left > 0) { row[at] = carried[at].text; carried[at].left--; at++; } };
      for (const cell of table.cells(list[i])) {
        fill();
        if (at >= columns) break;
        const text = i >= from || table.spans ? cellText(cell, most) : '';
        const wide = cell.hasAttribute('colspan') ? span(cell, 'colspan') : 1;
        const tall = cell.hasAttribute('rowspan') ? span(cell, 'rowspan') : 1;
        for (let k = 0; k < wide; k++, at++) {
          row[at] = k && list !== table.head ? '' : text;
          if (tall > 1) carried[at] = { text: row[at], left: tall - 1 };
        }
      }
      fill();
      if (i >= from) out.push(Array.from(row, (text) => text ?? ''));
    }
    return out;
  };
  const headings = (table) => {
    const rows = gridTexts(table, table.head, 0, 6);
    const width = Math.max(0, ...rows.map((r) => r.length));
    const names = [];
    for (let c = 0; c < width; c++) {
      const parts = [];
      for (const row of rows) if (row[c] && row[c] !== parts.at(-1)) parts.push(row[c]);
      names.push(parts.join(' / '));
    }
    return names;
  };
  const NUMBER = /^[-+−–(]?\s*[$€£¥]?\s*[-+−–]?\s*(\d{1,3}([,\s.’']\d{3})+|\d+)?([.,]\d+)?\s*%?\)?(\s*[a-zµ°%/³²]{1,4})?$/i;
  const DATE = /^(\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?([T ]\d\d:\d\d.*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|(\d{1,2}\.? )?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?[ -]\d{1,4}(, ?\d{4})?|\d{4}[- ]?q[1-4]|q[1-4][- ]\d{4})$/i;
  const NOTHING = /^(|-|–|—|n\/?a|nan|null|none|\.{1,3}|…|:|x|\(x\)|\(z\)|\(na\))$/i;
  const MARK = /\s*(\^\S{1,6}|[*†‡§¶#]+|\[[a-z0-9]{1,3}\]|\((?:r|p|e|s|u|b|c)\))$/i;
  const bare = (text) => text.replace(MARK, '').trim();
  const kindOf = (texts) => {
    const values = texts.map(bare).filter((text) => !NOTHING.test(text));
    if (!values.length) return 'empty';
    const share = (pattern) => values.filter((text) => /\d/.test(text) && pattern.test(text)).length / values.length;
    if (values.every((text) => /^(1[5-9]|20|21)\d\d$/.test(text))) return 'year';
    if (share(DATE) > 0.8) return 'date';
    if (share(NUMBER) > 0.8) return values.some((text) => /%/.test(text)) ? 'percent' : 'number';
    return 'text';
  };
  const describe = (table) => {
    const end = table.rows.length;
    const sample = [...gridTexts(table, table.rows, 0, Math.min(SAMPLE, end)), ...(end > SAMPLE ? gridTexts(table, table.rows, Math.max(SAMPLE, end - 10), end) : [])];
    const names = headings(table);
    const width = Math.max(names.length, ...sample.map((row) => row.length), 0);
    const columns = [];
    for (let c = 0; c < width; c++) columns.push({ name: names[c] ?? '', kind: kindOf(sample.map((row) => row[c] ?? '')) });
    const marks = new Map();
    for (const row of sample) for (const text of row) {
      const found = MARK.exec(text);
      if (found) marks.set(found[1], (marks.get(found[1]) ?? 0) + 1);
    }
    return { columns, marks: [...marks].slice(0, 12) };
  };
  const titleOf = (element) => {
    if (element.caption) return clean(seenText(element.caption));
    const name = clean(nameOf(element));
    if (name && name !== element.getAttribute('name')) return name;
    const figure = element.closest('figure')?.querySelector('figcaption');
    return figure ? clean(figure.textContent) : '';
  };
  // A table is a picture of data unless its author says or shows that it is only a frame for other things.
  const isLayout = (element) => {
    const role = element.getAttribute('role');
    if (role === 'presentation' || role === 'none') return true;
    if (element.localName !== 'table' || role) return false;
    if (element.querySelector('table')) return true;
    return element.rows.length <= 1 && !element.tHead && !element.querySelector('th') && (element.rows[0]?.cells.length ?? 0) <= 2;
  };

  // ---- the outline
  const look = (options) => {
    const until = performance.now() + options.milliseconds;
    const first = walkOnce(options, until, false);
    const below = scrollY > 200 || options.above;
    return first.stopped === 'size' && below ? walkOnce(options, until, true) : first;
  };
  const walkOnce = (options, until, skipAbove) => {
    const out = { lines: [], depths: [], marks: {}, frames: [], tables: [], stopped: '', above: 0 };
    const stack = [];
    const pending = [];
    let budget = options.limit, visited = 0, bullet = false;
    const put = (depth, text) => {
      if (budget <= 0) return;
      const deep = Math.min(depth, 12);
      budget -= text.length + 2 * deep + 1;
      if (budget <= 0) { out.stopped = 'size'; return; }
      out.lines.push(text);
      out.depths.push(deep);
      bullet = false;
    };
    const flush = (depth) => {
      if (!pending.length) return;
      const text = clean(pending.join(''), 2000);
      pending.length = 0;
      if (text) put(depth, (bullet ? '- ' : '') + text);
    };
    const mark = (element, role, name) => {
      const id = idOf(element);
      out.marks[id] = { role, name: name.slice(0, 80), box: box(element) };
      return id;
    };
    const actionLine = (element, role, depth, most) => {
      const name = nameOf(element, most) || (role === 'clickable' ? seenText(element, most) : '');
      const href = role === 'link' ? element.getAttribute('href') ?? '' : '';
      const target = href ? ' -> ' + (href.startsWith('data:') ? clean(href, 40) : clean(href, 200)) : '';
      put(depth, `[${mark(element, role, name)}] ${role} ${quote(name)}${states(element, role)}${target}`);
    };
    const push = (nodes, depth, mute, unseen = false) => {
      for (let i = nodes.length - 1; i >= 0; i--) stack.push({ node: nodes[i], depth, mute, unseen });
    };
    const childrenOf = (element) => {
      const root = rootOf(element);
      if (root) return root.childNodes;
      if (element.localName === 'slot') { const given = element.assignedNodes(); if (given.length) return given; }
      return element.childNodes;
    };
    const rowLines = (table, row, texts, depth) => {
      const more = texts.length > COLUMNS ? ` | … ${texts.length - COLUMNS} more columns` : '';
      put(depth, '| ' + texts.slice(0, COLUMNS).join(' | ') + more + ' |');
      let count = 0;
      for (const inner of row.querySelectorAll(INTERACTIVE)) {
        if (budget <= 0 || ++count > 24) break;
        const role = plainRole(inner);
        const kind = ACTIONABLE.has(role) ? role : inner.localName === 'input' ? '' : inner.hasAttribute('onclick') ? 'clickable' : '';
        if (kind && visible(inner)) actionLine(inner, kind, depth + 1, 120);
      }
    };
    const tableLines = (element, depth) => {
      const table = asTable(element);
      const title = titleOf(element);
      const { columns, marks } = describe(table);
      const id = mark(element, 'table', title);
      const rows = table.rows.length;
      const about = [`${table.virtual ? 'about ' + table.total : table.total} rows x ${columns.length} columns`];
      if (table.virtual) about.push(`${rows} loaded, the rest on scrolling`);
      if (table.hidden) about.push(`${table.hidden} hidden rows`);
      out.tables.push({ id, rows: table.total, columns: columns.length, title });
      put(depth, `[${id}] table ${quote(title)} ${about.join(', ')}`);
      const named = columns.slice(0, 60).map((c, i) => `${c.name || 'column ' + (i + 1)} (${c.kind})`);
      put(depth + 1, 'columns: ' + named.join(' | ') + (columns.length > 60 ? ` | … ${columns.length - 60} more` : ''));
      for (const row of table.head) for (const inner of row.querySelectorAll(INTERACTIVE)) {
        const role = plainRole(inner);
        if (ACTIONABLE.has(role) && visible(inner)) actionLine(inner, role, depth + 1, 120);
      }
      const whole = rows <= options.rows;
      const top = whole ? rows : HEAD;
      gridTexts(table, table.rows, 0, top).forEach((texts, i) => rowLines(table, table.rows[i], texts, depth + 1));
      if (!whole || table.virtual) {
        put(depth + 1, `… ${table.total - (whole ? rows : HEAD + TAIL)} rows left out; the action table gives rows, columns, or rows that match a text`);
        if (!whole) gridTexts(table, table.rows, rows - TAIL, rows).forEach((texts, i) => rowLines(table, table.rows[rows - TAIL + i], texts, depth + 1));
      }
      for (const row of table.foot) rowLines(table, row, table.cells(row).map((c) => cellText(c, 300)), depth + 1);
      if (marks.length) put(depth + 1, 'marks on values: ' + marks.map(([sign, count]) => `${sign} (${count})`).join(', '));
    };
    const chartLines = (element, depth) => {
      const tag = element.localName;
      const at = box(element);
      const title = clean(element.getAttribute('aria-label') || element.getAttribute('alt') || element.querySelector?.(':scope > title')?.textContent || (element.hasAttribute('aria-labelledby') ? nameOf(element) : '') || element.closest('figure')?.querySelector('figcaption')?.textContent || element.getAttribute('title'));
      const large = at[2] >= 100 && at[3] >= 60;
      if (!title && !large) return;
      const kind = tag === 'img' ? 'image' : tag;
      if (!large || tag === 'img') { put(depth, `${kind} ${quote(title)} at ${at}`); return; }
      put(depth, `[${mark(element, 'chart', title)}] chart ${quote(title)} (${kind}, at ${at})`);
      const texts = [];
      let size = 0;
      for (const part of tag === 'svg' ? element.querySelectorAll('text,title,desc') : element.childNodes) {
        const text = clean(part.textContent, 200);
        if (!text || part.parentNode === element && part.localName === 'title') continue;
        size += text.length;
        if (size > 1200 || texts.length > 120) { texts.push('…'); break; }
        texts.push(text);
      }
      if (texts.length) put(depth + 1, 'text inside: ' + texts.join(' · '));
      let count = 0;
      for (const inner of tag === 'svg' ? element.querySelectorAll('a,[role=button],[role=link],[tabindex]') : []) {
        if (++count > 30) break;
        actionLine(inner, inner.localName === 'a' ? 'link' : plainRole(inner) || 'clickable', depth + 1, 120);
      }
    };
    const frameLine = (element, depth) => {
      const id = 'f' + idOf(element);
      byId.set(id, new WeakRef(element));
      const source = element.getAttribute('src') ?? '';
      put(depth, `frame ${quote(clean(element.getAttribute('title') || element.getAttribute('name') || ''))}` + (source ? ' -> ' + clean(source, 200) : ''));
      const style = getComputedStyle(element);
      const at = box(element);
      const edge = (side) => (parseFloat(style['border' + side + 'Width']) || 0) + (parseFloat(style['padding' + side]) || 0);
      out.frames.push({ id, after: out.lines.length, depth: depth + 1, x: at[0] + edge('Left'), y: at[1] + edge('Top') });
    };
    const suspect = (element) => {
      if (checkedHosts.has(element) || !/-|^(div|section|article|aside|main|span|p)$/.test(element.localName) || rootOf(element)) return;
      if (element.firstElementChild ? [...element.children].some((c) => c.checkVisibility()) : element.textContent.trim()) return;
      const r = element.getBoundingClientRect();
      if (r.width < 8 || r.height < 8 || suspects.length > 40) return;
      checkedHosts.add(element);
      suspects.push(new WeakRef(element));
    };
    const enter = (node, depth, mute, unseen) => {
      if (node.nodeType === Node.TEXT_NODE) {
        if (!mute && !unseen && node.data.length) pending.push(node.data.length > 4000 ? node.data.slice(0, 4000) : node.data);
        return;
      }
      if (node.nodeType !== Node.ELEMENT_NODE || SKIP.has(node.localName)) return;
      if (!shown(node)) return;
      const style = getComputedStyle(node);
      const block = !/^(inline|contents|ruby)/.test(style.display);
      if (skipAbove && block && node.getBoundingClientRect().bottom < -50 && style.position === 'static') {
        flush(depth);
        out.above++;
        return;
      }
      if (!mute && block) flush(depth);
      element(node, depth, mute, style, block);
    };
    const element = (node, depth, mute, style, block) => {
      const tag = node.localName;
      const seen = style.visibility === 'visible';
      if (tag === 'br') { pending.push(' '); return; }
      if (tag === 'iframe' || tag === 'frame') { flush(depth); if (seen) frameLine(node, depth); return; }
      if (tag === 'img' || tag === 'canvas' || tag === 'svg') {
        if (plainRole(node) && ACTIONABLE.has(plainRole(node))) { flush(depth); actionLine(node, plainRole(node), depth); }
        else if (!mute && seen && (tag !== 'img' || node.getAttribute('alt') !== '')) { flush(depth); chartLines(node, depth); }
        return;
      }
      const role = plainRole(node);
      if ((role === 'table' || role === 'grid' || role === 'treegrid') && !isLayout(node)) { flush(depth); tableLines(node, depth); return; }
      const acts = !seen ? '' : ACTIONABLE.has(role) ? role : clickable(node, style);
      if (acts) { flush(depth); acting(node, acts, depth, mute); return; }
      structure(node, role, depth, mute, block, seen);
    };
    const acting = (node, role, depth, mute) => {
      const native = /^(a|button|input|select|textarea|summary)$/.test(node.localName);
      const inner = native && node.localName !== 'a' ? null : node.querySelector(INTERACTIVE + ',table,h1,h2,h3');
      const host = rootOf(node);
      actionLine(node, role, depth, inner ? 80 : 300);
      if (inner || host) push(childrenOf(node), depth + 1, !host && node.textContent.length < 80 || mute);
      else if (node.localName === 'a' || node.localName === 'button') pictures(node, depth + 1);
    };
    const pictures = (node, depth) => {
      const name = nameOf(node);
      let count = 0;
      for (const img of node.querySelectorAll('img[alt]')) {
        const alt = clean(img.alt);
        if (alt && !name.includes(alt) && ++count < 4 && visible(img)) put(depth, `image ${quote(alt)} at ${box(img)}`);
      }
    };
    const structure = (node, role, depth, mute, block, seen) => {
      const heading = role === 'heading';
      if (heading && !mute) {
        flush(depth);
        const level = node.getAttribute('aria-level') || (/^h([1-6])$/.exec(node.localName)?.[1] ?? '2');
        put(depth, `heading ${level} ${quote(nameOf(node))}`);
        stack.push({ leave: () => flush(depth) });
        push(childrenOf(node), depth + 1, true);
        return;
      }
      let inner = depth;
      if (LANDMARKS.has(role)) {
        const name = role === 'figure' ? clean(node.querySelector('figcaption')?.textContent) : /^(alert|status|log|blockquote)$/.test(role) ? clean(node.getAttribute('aria-label')) : nameOf(node);
        if (name || !NAMED_ONLY.has(role)) {
          flush(depth);
          const modal = node.getAttribute('aria-modal') === 'true' || (node.localName === 'dialog' && node.matches(':modal'));
          put(depth, role + (name ? ' ' + quote(name) : '') + (modal ? ' (modal)' : states(node, role)));
          inner = depth + 1;
        }
      }
      if (node.localName === 'sup' && pending.length && !mute) pending.push('^');
      const struck = /^(del|s|strike)$/.test(node.localName) && !mute;
      if (struck) pending.push('~~');
      if (node.localName === 'li' || role === 'listitem') { flush(inner); bullet = true; }
      if (block || struck) stack.push({ leave: () => { if (struck) pending.push('~~'); if (block) { flush(inner); } } });
      suspect(node);
      // The words of a label or legend are the name of what they stand for, which has a line of its own.
      const named = node.localName === 'legend' || (node.localName === 'label' && node.control && visible(node.control));
      push(childrenOf(node), inner, mute || named, !seen);
    };

    if (document.body) push([document.body], 0, false);
    while (stack.length && budget > 0) {
      if (++visited > NODES) { out.stopped = 'nodes'; break; }
      if ((visited & 127) === 0 && performance.now() > until) { out.stopped = 'time'; break; }
      const item = stack.pop();
      if (item.leave) item.leave();
      else enter(item.node, item.depth, item.mute, item.unseen);
    }
    budget = Math.max(budget, 1);
    flush(0);
    return { ...out, visited, title: clean(document.title, 300), suspects: suspects.length, page: pageSize() };
  };
  const pageSize = () => {
    const root = pageScroller();
    return { y: Math.round(root.scrollTop), view: Math.round(root === document.scrollingElement ? innerHeight : root.clientHeight), height: Math.round(root.scrollHeight) };
  };

  // ---- scrolling
  const pageScroller = () => {
    const root = document.scrollingElement ?? document.documentElement;
    if (root.scrollHeight > innerHeight + 4) return root;
    for (let at = document.elementFromPoint(innerWidth / 2, innerHeight / 2); at; at = at.parentElement ?? at.getRootNode().host) if (scrolls(at)) return at;
    return root;
  };
  const scroll = ({ id, direction }) => {
    let target = pageScroller();
    if (id) {
      const element = byId.get(id).deref();
      target = scrollerIn(element);
      if (!target) return { refused: `element [${id}] is not inside anything that scrolls` };
    }
    const page = target === document.scrollingElement;
    const tall = page ? innerHeight : target.clientHeight;
    const wide = page ? innerWidth : target.clientWidth;
    const before = [target.scrollLeft, target.scrollTop];
    const to = { down: [0, tall * 0.9], up: [0, -tall * 0.9], right: [wide * 0.9, 0], left: [-wide * 0.9, 0], top: [0, -1e9], end: [0, 1e9] }[direction];
    target.scrollBy({ left: to[0], top: to[1], behavior: 'instant' });
    const moved = before[0] !== target.scrollLeft || before[1] !== target.scrollTop;
    return { moved, y: Math.round(target.scrollTop), height: target.scrollHeight, view: tall };
  };

  // ---- finding text: by block, so that a phrase may run over inline elements
  const eachBlock = (use, until) => {
    let parts = [], owner = null, size = 0, stop = false;
    const flush = () => {
      if (owner && parts.length && !stop) stop = use(parts.join('').replace(/\s+/g, ' '), owner) === false || performance.now() > until;
      parts = [];
      size = 0;
    };
    const visit = (root) => {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
      for (let node = walker.nextNode(); node && !stop; node = walker.nextNode()) {
        if (node.nodeType === Node.ELEMENT_NODE) {
          const inside = rootOf(node);
          if (inside) { flush(); visit(inside); }
          if (!INLINE.has(node.localName)) flush();
          continue;
        }
        const parent = node.parentElement ?? node.getRootNode().host;
        if (!parent || SKIP.has(parent.localName)) continue;
        let block = parent;
        while (INLINE.has(block.localName) && block.parentElement) block = block.parentElement;
        if (block !== owner) { flush(); owner = block; }
        if (size < 200_000) parts.push(node.data);
        size += node.data.length;
      }
      flush();
    };
    if (document.body) visit(document.body);
  };
  const find = ({ text, most, milliseconds }) => {
    const wanted = text.replace(/\s+/g, ' ').trim().toLowerCase();
    const found = [];
    let hidden = 0;
    eachBlock((content, owner) => {
      const at = content.toLowerCase().indexOf(wanted);
      if (at < 0) return true;
      if (!owner.checkVisibility()) { hidden++; return true; }
      const row = owner.closest('tr,[role=row]');
      const table = owner.closest('table,' + GRID);
      const line = row ? clean([...row.querySelectorAll(CELLS)].map((c) => cellText(c, 60)).join(' | '), 400) : clean(content.slice(Math.max(0, at - 120), at + wanted.length + 160), 400);
      const act = owner.closest(INTERACTIVE) ?? owner.querySelector?.(INTERACTIVE);
      found.push({ line, table: table && !isLayout(table) ? idOf(table) : '', act: act ? `[${idOf(act)}] ${plainRole(act) || 'clickable'}` : '' });
      return found.length < most;
    }, performance.now() + milliseconds);
    return { found, hidden };
  };
  // Where the page is scrolled to, by the history entry; a place that the page sets by itself is left to it.
  const place = () => ({ key: globalThis.navigation?.currentEntry?.key ?? '', x: scrollX, y: scrollY });
  const putBack = ({ key, x, y }) => {
    const root = document.scrollingElement ?? document.documentElement;
    if (key && key === place().key && history.scrollRestoration === 'auto' && y <= root.scrollHeight - innerHeight + 1) scrollTo({ left: x, top: y, behavior: 'instant' });
    return place();
  };
  let reached = [];
  const reach = ({ id }) => {
    reached = [];
    const element = byId.get(id)?.deref();
    element?.scrollIntoViewIfNeeded(true);
    for (let at = element; at; at = at.assignedSlot ?? at.parentElement ?? at.getRootNode().host) reached.push([new WeakRef(at), at.scrollLeft, at.scrollTop]);
    return {};
  };
  const again = () => {
    for (const [at, left, top] of reached) at.deref()?.scrollTo({ left, top, behavior: 'instant' });
    return {};
  };
  const scrollToText = ({ text, milliseconds }) => {
    const wanted = text.replace(/\s+/g, ' ').trim().toLowerCase();
    let done = false;
    eachBlock((content, owner) => {
      if (!content.toLowerCase().includes(wanted) || !owner.checkVisibility()) return true;
      owner.scrollIntoView({ block: 'center', behavior: 'instant' });
      done = true;
      return false;
    }, performance.now() + milliseconds);
    return { done };
  };

  // ---- the action `table`
  const pick = (names, wanted) => {
    if (!wanted || !wanted.length) return { picked: names.map((_, i) => i) };
    const picked = [];
    for (const column of wanted) {
      const low = String(column).trim().toLowerCase();
      let at = names.findIndex((name) => name.toLowerCase() === low);
      if (at < 0) at = names.findIndex((name) => name.toLowerCase().includes(low));
      if (at < 0 && /^\d+$/.test(low)) at = Number(low) - 1;
      if (at < 0 || at >= names.length) return { refused: `no column ${quote(column)}; columns: ${names.join(', ')}` };
      picked.push(at);
    }
    return { picked };
  };
  const tableElement = (id) => {
    const element = byId.get(id)?.deref();
    if (element && (element.localName === 'table' || element.matches(GRID))) return element;
    return element?.closest('table,' + GRID) ?? element?.querySelector('table,' + GRID) ?? null;
  };
  const rowLinks = (row) => [...row.querySelectorAll(INTERACTIVE)].filter(visible).slice(0, 8).map((e) => `[${idOf(e)}] ${nameOf(e, 60)}`).join('; ');
  const rows = ({ id, start, count, columns, match, links, chars }) => {
    const element = tableElement(id);
    if (!element) return { refused: `element [${id}] is no table` };
    const table = asTable(element);
    if (table.virtual) return { virtual: true, total: table.total };
    const names = columnNames(table);
    const { picked, refused } = pick(names, columns);
    if (refused) return { refused };
    const list = match ? matching(table, match) : null;
    const chosen = list ? list.slice(start - 1, start - 1 + count) : null;
    const out = [];
    let size = 0;
    const add = (index, texts) => {
      const values = picked.map((c) => texts[c] ?? '');
      if (links) values.push(rowLinks(table.rows[index]));
      size += values.join(',').length;
      if (size <= chars) out.push([index + 1, values]);
      return size <= chars;
    };
    if (chosen) for (const index of chosen) { if (!add(index, gridTexts(table, table.rows, index, index + 1, 2000)[0])) break; }
    else gridTexts(table, table.rows, start - 1, start - 1 + count, 2000).every((texts, i) => add(start - 1 + i, texts));
    return { names: [...picked.map((c) => names[c]), ...(links ? ['elements'] : [])], rows: out, total: table.total, matched: list?.length ?? null, cut: size > chars };
  };
  const columnNames = (table) => {
    const names = headings(table);
    const width = Math.max(names.length, ...gridTexts(table, table.rows, 0, 10).map((row) => row.length), 0);
    return Array.from({ length: width }, (_, i) => names[i] || `column ${i + 1}`);
  };
  const matching = (table, match) => {
    const wanted = match.replace(/\s+/g, ' ').trim().toLowerCase();
    const found = [];
    for (let i = 0; i < table.rows.length; i++) {
      const raw = table.rows[i].textContent;
      if (!raw.toLowerCase().includes(wanted) && !raw.replace(/\s+/g, ' ').toLowerCase().includes(wanted)) continue;
      if (table.cells(table.rows[i]).some((cell) => cellText(cell, 4000).toLowerCase().includes(wanted))) found.push(i);
    }
    return found;
  };
  // A virtualised grid holds only the rows in view: it is scrolled here, in the background, and asked by `harvested`.
  const frame = () => new Promise((done) => requestAnimationFrame(() => done()));
  const startHarvest = ({ id, start, count, match, columns, milliseconds }) => {
    const element = tableElement(id);
    const job = { rows: new Map(), done: false, why: '', names: [], total: 0, refused: '' };
    harvest = job;
    runHarvest(element, job, { start, count, match, columns, until: performance.now() + milliseconds }).catch((error) => { job.why = String(error); }).finally(() => { job.done = true; });
    return { started: true };
  };
  const runHarvest = async (element, job, wanted) => {
    const low = (wanted.match ?? '').toLowerCase();
    let table = asTable(element);
    job.names = columnNames(table);
    const choice = pick(job.names, wanted.columns);
    if (choice.refused) { job.refused = choice.refused; return; }
    const scroller = table.scroller;
    if (!scroller) { job.why = 'nothing around it scrolls'; return; }
    const back = scroller.scrollTop;
    const height = heightOf(table.rows) / Math.max(table.rows.length, 1) || 20;
    const take = () => {
      table = asTable(element);
      const headCount = table.head.length;
      table.rows.forEach((row, i) => {
        const told = table.order(row);
        const place = Math.round((row.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop) / height);
        const index = told ? told - headCount : place + 1;
        const texts = gridTexts(table, table.rows, i, i + 1, 2000)[0];
        if (texts.some(Boolean)) job.rows.set(index, texts);
      });
      job.total = Math.max(table.total, job.rows.size ? Math.max(...job.rows.keys()) : 0);
    };
    const enough = () => {
      if (low) return [...job.rows.values()].filter((t) => t.some((x) => x.toLowerCase().includes(low))).length >= wanted.start - 1 + wanted.count;
      return job.rows.has(Math.min(wanted.start + wanted.count - 1, job.total));
    };
    if (scroller.scrollTop !== 0 || !low) { scroller.scrollTop = low ? 0 : Math.max(0, (wanted.start - 2) * height); await frame(); await frame(); }
    take();
    for (let still = 0; !enough() && still < 3 && performance.now() < wanted.until;) {
      const known = job.rows.size, at = scroller.scrollTop, seen = changes;
      scroller.scrollTop = at + Math.max(scroller.clientHeight - height, height);
      await frame();
      take();
      for (let patience = 0; job.rows.size === known && patience < 30 && scroller.scrollTop !== at; patience++) { await frame(); take(); }
      still = job.rows.size === known && (scroller.scrollTop === at || changes === seen) ? still + 1 : 0;
    }
    if (performance.now() >= wanted.until) job.why = 'time';
    scroller.scrollTop = back;
  };
  const harvested = ({ start, count, match, columns, chars }) => {
    const job = harvest;
    if (!job || !job.done) return { done: false, rows: job?.rows.size ?? 0 };
    if (job.refused) return { done: true, refused: job.refused };
    const { picked } = pick(job.names, columns);
    const low = (match ?? '').toLowerCase();
    let list = [...job.rows].sort((a, b) => a[0] - b[0]);
    let matched = null;
    if (low) {
      list = list.filter(([, texts]) => texts.some((x) => x.toLowerCase().includes(low)));
      matched = list.length;
      list = list.slice(start - 1, start - 1 + count);
    } else list = list.filter(([index]) => index >= start && index < start + count);
    let size = 0;
    const out = [];
    for (const [index, texts] of list) {
      const values = picked.map((c) => texts[c] ?? '');
      size += values.join(',').length;
      if (size > chars) break;
      out.push([index, values]);
    }
    return { done: true, names: picked.map((c) => job.names[c]), rows: out, total: job.total, matched, cut: size > chars, why: job.why, read: job.rows.size };
  };

  // ---- small questions
  const state = ({ id }) => {
    const element = byId.get(id)?.deref();
    if (!byId.has(id)) return { is: 'unknown' };
    if (!element || !element.isConnected) return { is: 'gone' };
    const anchor = element.closest('a[href],area[href]') ?? element.querySelector('a[href]');
    return { is: 'here', tag: element.localName, type: element.type ?? '', href: anchor?.href ?? element.src ?? '', disabled: element.matches(':disabled') || element.getAttribute('aria-disabled') === 'true', readonly: element.readOnly === true, visible: visible(element), box: box(element), editable: element.isContentEditable };
  };
  const options = ({ id }) => [...(byId.get(id)?.deref()?.options ?? [])].map((o) => ({ label: clean(o.label, 120), value: o.value, disabled: o.disabled }));
  const field = ({ id }) => {
    const element = byId.get(id)?.deref();
    const input = element?.matches('input[type=file]') ? element : element?.control ?? element?.querySelector?.('input[type=file]');
    return input?.matches?.('input[type=file]') ? { id: idOf(input), multiple: input.multiple } : {};
  };
  const cover = ({ x, y }) => {
    let at = document.elementFromPoint(x, y);
    while (at && rootOf(at)?.elementFromPoint?.(x, y) && rootOf(at).elementFromPoint(x, y) !== at) at = rootOf(at).elementFromPoint(x, y);
    const part = at?.closest('[role=dialog],dialog,[id],[class]') ?? at;
    return at ? { what: `${part.localName}${part.id ? '#' + part.id : ''}`, text: clean(part.innerText, 80) } : {};
  };
  // Layout is what asks for a web font: laid out here, a page that needs one says so now and not after the look.
  const quiet = () => {
    void document.documentElement?.offsetHeight;
    const fonts = document.fonts.status === 'loading';
    return { since: performance.now() - lastChange, ready: document.readyState, fonts, changes };
  };
  const has = ({ text, milliseconds }) => {
    const wanted = text.replace(/\s+/g, ' ').trim().toLowerCase();
    let there = false;
    eachBlock((content, owner) => {
      there = content.toLowerCase().includes(wanted) && owner.checkVisibility();
      return !there;
    }, performance.now() + milliseconds);
    return { there };
  };
  const values = ({ ids: wanted }) => wanted.map((id) => { const e = byId.get(id)?.deref(); return e ? box(e) : null; });

  const OPERATIONS = { look, scroll, place, putBack, reach, again, find, scrollToText, rows, startHarvest, harvested, state, options, field, cover, quiet, has, values };

  // What moves only by style (an endless animation) is no change; text, elements and the attributes that matter are.
  const seen = new WeakSet();
  const observe = (root) => {
    if (seen.has(root)) return;
    seen.add(root);
    new MutationObserver(() => { lastChange = performance.now(); changes++; }).observe(root, {
      subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ['hidden', 'disabled', 'open', 'href', 'src', 'value', 'aria-expanded', 'aria-busy', 'aria-hidden', 'aria-selected', 'class'] });
  };
  observe(document);
  globalThis[Symbol.for('webds')] = {
    suspect: () => suspects.pop()?.deref() ?? null,
    adopt: (root) => { closedRoots.set(root.host, root); observe(root); },
  };

  const answer = (value) => {
    const element = document.createElement('webds-answer');
    element.textContent = JSON.stringify(value);
    return element;
  };
  const query = (root, selector) => {
    if (/^f?\d+$/.test(selector)) {
      const element = byId.get(selector)?.deref();
      return element?.isConnected ? element : null;
    }
    const colon = selector.indexOf(':');
    const operation = OPERATIONS[selector.slice(0, colon)];
    const options = JSON.parse(decodeURIComponent(selector.slice(colon + 1)));
    if (options.first) startAt(options.first);
    return answer({ value: operation(options), next: nextId });
  };
  return { query, queryAll: (root, selector) => { const one = query(root, selector); return one ? [one] : []; } };
}
