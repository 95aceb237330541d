import { flush, say } from "./outbox.js";

const sent = await flush();
if (sent && !sent.refused) {
  say("A label that had been waiting in this browser is saved now.");
}
if (document.getElementById("wait")) {
  setTimeout(() => location.reload(), 5000);
}
