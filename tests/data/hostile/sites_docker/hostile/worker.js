// Both a worker and a service worker: fetches a foreign host from inside, and answers with what it met.
const tell = (port) => fetch(`https://${self.registration ? 'service-worker' : 'worker'}.foreign.example/`)
  .then((r) => port.postMessage(`reached ${r.status}`), (e) => port.postMessage(`no ${e.name}`));
self.addEventListener('message', (event) => tell(event.ports[0]));
