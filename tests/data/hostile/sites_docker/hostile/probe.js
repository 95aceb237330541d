// Every way out that a page has. `?port=` is a service on the machine's own loopback, which must see no request.
const port = new URLSearchParams(location.search).get('port') || '9';
const met = {};
const soon = (promise, ms = 20000) => Promise.race([promise, new Promise((r) => setTimeout(() => r('silence'), ms))]);
const reach = (url, options) => fetch(url, { mode: 'no-cors', ...options })
  .then((r) => (r.type === 'opaque' ? 'opaque' : `${r.status}`), (e) => `no ${e.name}`);
const add = (tag, fields) => document.head.append(Object.assign(document.createElement(tag), fields));
const link = (rel, href, as = '') => add('link', { rel, href, as });
const socket = (url) => new Promise((done) => {
  try {
    const ws = new WebSocket(url);
    ws.onopen = () => done('open');
    ws.onerror = () => done('no');
  } catch (e) { done(`no ${e.name}`); }
});

const LOOPBACK = ['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0x7f.0.0.1', '0177.0.0.1', '017700000001',
  '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '0.0.0.0', 'localhost', 'a.localhost', 'loopback.foreign.example'];

async function webrtc() {
  const servers = ['stun:203.0.113.5:3478', 'stun:stun.foreign.example:3478'].map((urls) => ({ urls }));
  for (const urls of ['turn:203.0.113.6:3478?transport=udp', 'turn:203.0.113.6:3478?transport=tcp',
    'turns:turn.foreign.example:5349?transport=tcp']) servers.push({ urls, username: 'u', credential: 'p' });
  const peer = new RTCPeerConnection({ iceServers: servers });
  const found = [];
  peer.onicecandidate = (e) => { if (e.candidate) found.push(e.candidate.candidate); };
  peer.createDataChannel('x');
  await peer.setLocalDescription(await peer.createOffer());
  await new Promise((r) => setTimeout(r, 3000));
  peer.close();
  return found;
}

async function serviceWorker() {
  await navigator.serviceWorker.register('/worker.js');
  const ready = await navigator.serviceWorker.ready;
  return ask(ready.active);
}

function ask(worker) {
  const channel = new MessageChannel();
  const answer = new Promise((r) => { channel.port1.onmessage = (e) => r(e.data); });
  worker.postMessage('go', [channel.port2]);
  return answer;
}

const transport = () => {
  const way = new WebTransport('https://203.0.113.7:4433/x');
  return way.ready.then(() => 'open', (e) => `no ${e.name}`);
};
const forged = () => fetch('/seen', { method: 'POST', body: 'x', headers: { 'X-Webds-Token': 'forged',
  'x-webds-episode': 'other~0/1', 'X-WEBDS-SCHEME': 'http', 'X-Webds-Other': '1' } }).then((r) => r.json());

link('prefetch', 'https://prefetch.foreign.example/a');
link('preconnect', 'https://preconnect.foreign.example');
link('dns-prefetch', '//dns-prefetch.foreign.example');
link('preload', 'https://preload.foreign.example/a.js', 'script');
link('stylesheet', 'https://style.foreign.example/a.css');
link('icon', 'https://icon.foreign.example/a.ico');
add('script', { type: 'speculationrules', textContent: JSON.stringify({
  prefetch: [{ urls: ['https://speculation.foreign.example/'], eagerness: 'immediate' }],
  prerender: [{ urls: ['https://prerender.foreign.example/'], eagerness: 'immediate' }] }) });
for (const src of ['https://frame.foreign.example/', 'file:///etc/hostname', 'chrome://version/',
  'view-source:https://hostile.test/', 'http://169.254.169.254/latest/', 'ftp://ftp.foreign.example/'])
  document.body.append(Object.assign(document.createElement('iframe'), { src, hidden: true }));
new Image().src = 'https://image.foreign.example/a.png';
navigator.sendBeacon('https://beacon.foreign.example/', 'x');
popup.onclick = () => { met.popup = window.open('https://popup.foreign.example/') ? 'window' : 'none'; };

const tries = {
  foreign: () => reach('https://fetch.foreign.example/'),
  plain: () => reach('https://203.0.113.8/'),
  six: () => reach('https://[2001:db8::8]/'),
  metadata: () => reach('http://169.254.169.254/latest/meta-data/'),
  'metadata tls': () => reach('https://169.254.169.254/latest/meta-data/'),
  keepalive: () => reach('https://keepalive.foreign.example/', { keepalive: true, method: 'POST', body: 'x' }),
  doh: () => reach('https://dns.foreign.example/dns-query?dns=AAABAAABAAAAAAAAA3d3dwdleGFtcGxlA2NvbQAAAQAB'),
  'doh post': () => reach('https://203.0.113.9/dns-query', { method: 'POST', body: new Uint8Array(12) }),
  mdns: () => reach('https://printer.local/'),
  'single label': () => reach('https://intranet/'),
  wss: () => socket('wss://socket.foreign.example/'),
  'ws loopback': () => socket(`ws://127.0.0.1:${port}/`),
  'event source': () => new Promise((r) => {
    const source = new EventSource('https://events.foreign.example/');
    source.onopen = () => r('open');
    source.onerror = () => { source.close(); r('no'); };
  }),
  transport, webrtc, forged,
  worker: () => ask(new Worker('/worker.js')),
  'service worker': serviceWorker,
};
for (const host of LOOPBACK) {
  tries[`http ${host}`] = () => reach(`http://${host}:${port}/loopback`);
  tries[`https ${host}`] = () => reach(`https://${host}:${port}/loopback`);
}
const one = async (name) => {
  try { met[name] = await soon(tries[name]()); } catch (e) { met[name] = `no ${e.name}`; }
};
Promise.all(Object.keys(tries).map(one)).then(() => {
  globalThis.met = met;
  document.getElementById('out').textContent = JSON.stringify(met, null, 1);
  document.getElementById('state').textContent = 'probes ended';
});
