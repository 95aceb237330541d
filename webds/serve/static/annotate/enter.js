// The invite stands after #, which browsers never send: it is put into the form here, and out of the address.
const token = location.hash.slice(1);
if (token) {
  history.replaceState(null, "", location.pathname);
  document.getElementById("token").value = token;
  document.getElementById("begin").focus();
}
