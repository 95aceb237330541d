"use strict";
// The cookie notice is the only script: the server leaves it out once the cookie is there.
const closer = document.getElementById("cookies-close");
if (closer) {
  closer.addEventListener("click", () => {
    document.cookie = "gw_notice=read; path=/; max-age=31536000; samesite=lax";
    document.getElementById("cookies").remove();
  });
}
