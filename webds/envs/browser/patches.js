// Init script of every document, in the page's own world. Two things are changed, both out of the page's sight:
// a shadow root that a script makes closed is made open, so that walker.js can enter it, and still says it is closed;
// a script that changes the address without end is slowed down here, before Chromium, which drops the same calls but
// writes a warning for each, and those warnings stop everything else.
(() => {
  const apply = Reflect.apply;
  const define = Object.defineProperty;
  const now = performance.now.bind(performance);
  const closed = new WeakSet();
  const add = WeakSet.prototype.add, has = WeakSet.prototype.has;
  const native = Element.prototype.attachShadow;
  const own = Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot').get;
  const mode = Object.getOwnPropertyDescriptor(ShadowRoot.prototype, 'mode').get;
  const wrap = (target, name, value) => define(target, name, { value, writable: true, configurable: true, enumerable: true });
  const read = (target, name, get) => define(target, name, { get, configurable: true, enumerable: true });
  wrap(Element.prototype, 'attachShadow', { attachShadow(init) {
    if (init?.mode !== 'closed') return apply(native, this, [init]);
    const root = apply(native, this, [{ ...init, mode: 'open' }]);
    apply(add, closed, [root]);
    return root;
  } }.attachShadow);
  read(Element.prototype, 'shadowRoot', function shadowRoot() {
    const root = apply(own, this, []);
    return root && apply(has, closed, [root]) ? null : root;
  });
  read(ShadowRoot.prototype, 'mode', function mode_() {
    return apply(has, closed, [this]) ? 'closed' : apply(mode, this, []);
  });
  const MOST = 150, WINDOW = 10_000;
  let since = now(), count = 0;
  for (const name of ['pushState', 'replaceState']) {
    const call = History.prototype[name];
    wrap(History.prototype, name, { [name](data, unused, ...url) {
      if (now() - since > WINDOW) { since = now(); count = 0; }
      if (++count > MOST) return undefined;
      return apply(call, this, [data, unused, ...url]);
    } }[name]);
  }
})();
