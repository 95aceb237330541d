"use strict";
// Notices: the server sends the same page to everybody; what a reader has closed is kept in the browser only.
(() => {
  const site = document.body.dataset.site;
  const cookie = `${site.replaceAll("-", "_")}_notice`;
  const kept = (name) => sessionStorage.getItem(`${site}:${name}`);
  const keep = (name, value) => sessionStorage.setItem(`${site}:${name}`, value);
  const show = (name) => { const box = document.getElementById(name); if (box) box.hidden = false; };

  if (!document.cookie.split("; ").includes(`${cookie}=read`)) show("cookies");
  const views = Number(kept("views") ?? 0) + 1;
  keep("views", String(views));
  const letter = document.getElementById("newsletter");
  if (letter && !kept("newsletter") && views >= Number(letter.dataset.after)) show("newsletter");
  if (!kept("interstitial")) show("interstitial");

  document.addEventListener("click", (event) => {
    const name = event.target.closest?.("[data-close]")?.dataset.close;
    if (!name) return;
    if (name === "cookies") document.cookie = `${cookie}=read; path=/; max-age=31536000; samesite=lax`;
    else keep(name, "closed");
    document.getElementById(name).hidden = true;
  });
})();
