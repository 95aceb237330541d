(function webdsFreeze() {
  const settings = __SETTINGS__;
  const root = globalThis;
  if (root.__webdsFrozen) return;
  Object.defineProperty(root, '__webdsFrozen', { value: true });
  const now = settings.hosts[root.location?.hostname] ?? settings.fallback;
  if (now === null || now === undefined) return;
  const started = root.performance?.timeOrigin ?? 0;
  const define = (owner, name, value) => {
    if (owner) Object.defineProperty(owner, name, { value, writable: true, configurable: true });
  };
  const getter = (owner, name, get) => {
    if (owner) Object.defineProperty(owner, name, { get, configurable: true, enumerable: true });
  };
  const named = (name, length, made) => {
    Object.defineProperty(made, 'name', { value: name, configurable: true });
    Object.defineProperty(made, 'length', { value: length, configurable: true });
    return made;
  };

  /* The wall clock stands still; timers are real. */
  const Real = root.Date;
  const Frozen = named('Date', 7, function (...parts) {
    if (!new.target) return new Real(now).toString();
    return Reflect.construct(Real, parts.length ? parts : [now], new.target === Frozen ? Real : new.target);
  });
  Frozen.prototype = Real.prototype;
  define(Real.prototype, 'constructor', Frozen);
  define(Frozen, 'now', named('now', 0, () => now));
  define(Frozen, 'parse', Real.parse);
  define(Frozen, 'UTC', Real.UTC);
  define(root, 'Date', Frozen);

  const Format = root.Intl?.DateTimeFormat?.prototype;
  const format = Format && Object.getOwnPropertyDescriptor(Format, 'format');
  if (format?.get) {
    getter(Format, 'format', function () {
      const real = format.get.call(this);
      return (date) => real(date === undefined ? now : date);
    });
    const parts = Format.formatToParts;
    define(Format, 'formatToParts', named('formatToParts', 1, function (date) {
      return parts.call(this, date === undefined ? now : date);
    }));
  }
  const Temporal = root.Temporal;
  if (Temporal?.Now) {
    const instant = () => Temporal.Instant.fromEpochMilliseconds(now);
    const zoned = (zone) => instant().toZonedDateTimeISO(zone ?? Temporal.Now.timeZoneId());
    define(Temporal.Now, 'instant', instant);
    define(Temporal.Now, 'zonedDateTimeISO', zoned);
    define(Temporal.Now, 'plainDateTimeISO', (zone) => zoned(zone).toPlainDateTime());
    define(Temporal.Now, 'plainDateISO', (zone) => zoned(zone).toPlainDate());
    define(Temporal.Now, 'plainTimeISO', (zone) => zoned(zone).toPlainTime());
  }

  /* The page's stopwatch goes on by one millisecond a look, so that loops which wait for it come to an end. */
  let looks = 0;
  const Watch = root.Performance?.prototype;
  define(Watch, 'now', named('now', 0, () => (looks += 1)));
  getter(Watch, 'timeOrigin', () => now);
  if (root.requestAnimationFrame) {
    const frame = root.requestAnimationFrame.bind(root);
    define(root, 'requestAnimationFrame', named('requestAnimationFrame', 1, (call) => frame(() => call(looks += 1))));
  }
  const Page = root.Document?.prototype;
  const modified = Page && Object.getOwnPropertyDescriptor(Page, 'lastModified');
  if (modified?.get) {
    /* Without a Last-Modified header this is the time of the load. */
    getter(Page, 'lastModified', function () {
      const text = modified.get.call(this);
      if (Math.abs(Real.parse(text) - started) > 864e5) return text;
      const at = new Real(now);
      const two = (number) => String(number).padStart(2, '0');
      const day = [two(at.getMonth() + 1), two(at.getDate()), at.getFullYear()].join('/');
      return day + ' ' + [two(at.getHours()), two(at.getMinutes()), two(at.getSeconds())].join(':');
    });
  }

  /* Chance: one seeded stream a document or worker, never a constant (a constant can loop a page for ever). */
  let state = settings.seed >>> 0;
  for (const letter of String(root.location?.href ?? '')) state = (Math.imul(state, 31) + letter.codePointAt(0)) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  define(root.Math, 'random', named('random', 0, () => next() / 4294967296));
  const Crypto = root.Crypto?.prototype;
  if (Crypto) {
    const fill = Crypto.getRandomValues;
    define(Crypto, 'getRandomValues', named('getRandomValues', 1, function (array) {
      fill.call(this, array);
      const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
      for (let at = 0; at < bytes.length; at += 1) bytes[at] = next() & 255;
      return array;
    }));
    if (Crypto.randomUUID) {
      define(Crypto, 'randomUUID', named('randomUUID', 0, () => {
        const hex = Array.from({ length: 32 }, () => (next() & 15).toString(16));
        hex[12] = '4';
        hex[16] = (8 + (next() & 3)).toString(16);
        return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
      }));
    }
  }

  /* What differs between machines. */
  const Browser = (root.Navigator ?? root.WorkerNavigator)?.prototype;
  if (Browser && 'hardwareConcurrency' in Browser) getter(Browser, 'hardwareConcurrency', () => 4);
  if (Browser && 'deviceMemory' in Browser) getter(Browser, 'deviceMemory', () => 8);

  /* Workers made from a blob never pass the proxy: they get the same script in front. */
  const own = '(' + webdsFreeze.toString() + ')();';
  const wrapped = new Set();
  const blob = (text) => root.URL.createObjectURL(new root.Blob([text], { type: 'text/javascript' }));
  const revoke = root.URL?.revokeObjectURL;
  define(root.URL, 'revokeObjectURL', named('revokeObjectURL', 1, (address) => {
    /* Pages let go of the address at once; the worker in between has not read it yet. */
    if (!wrapped.has(String(address))) revoke.call(root.URL, address);
  }));
  for (const kind of ['Worker', 'SharedWorker']) {
    const Made = root[kind];
    if (!Made) continue;
    const wrap = (url, options) => {
      const address = String(url);
      if (!address.startsWith('blob:')) return url;
      wrapped.add(address);
      const quoted = JSON.stringify(address);
      if (options?.type !== 'module') return blob(`${own} importScripts(${quoted});`);
      return blob(`import ${JSON.stringify(blob(own))}; import ${quoted};`);
    };
    const Wrapped = named(kind, 1, function (url, options) {
      return Reflect.construct(Made, [wrap(url, options), options], new.target === Wrapped ? Made : new.target);
    });
    Wrapped.prototype = Made.prototype;
    define(Made.prototype, 'constructor', Wrapped);
    define(root, kind, Wrapped);
  }
})();
