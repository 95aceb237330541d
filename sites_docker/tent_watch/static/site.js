"use strict";
// Spoilers: covered until a reader asks; the choice is kept in the browser for the session.
(() => {
  const KEY = "tent-watch:spoilers";
  const buttons = document.querySelectorAll("[data-spoilers]");
  const apply = () => {
    const shown = sessionStorage.getItem(KEY) === "shown";
    document.body.classList.toggle("spoilers-shown", shown);
    for (const button of buttons) button.textContent = shown ? "Hide spoilers" : "Show spoilers";
  };
  for (const button of buttons) {
    button.addEventListener("click", () => {
      sessionStorage.setItem(KEY, sessionStorage.getItem(KEY) === "shown" ? "hidden" : "shown");
      apply();
    });
  }
  apply();
})();
