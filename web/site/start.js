// Runs before anything else, also where modules cannot be loaded: sets the theme, and says why a page that was opened as a file cannot run.
'use strict';
(function () {
  var theme = new URLSearchParams(location.hash.slice(1)).get('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  if (location.protocol !== 'file:') return;
  document.addEventListener('DOMContentLoaded', function () {
    if (document.getElementById('engine')) return; // everything is inside this one
    var notice = document.getElementById('notice');
    notice.hidden = false;
    notice.textContent = 'This page was opened as a file, and browsers do not let such pages load WebAssembly or start workers. ' +
      'Serve the folder instead: "make web-serve" prints an address, and so does "python3 -m http.server" in this folder. ' +
      'Or use the page that is one file, which "make web-file" makes.';
    document.getElementById('verdict').querySelector('.say').textContent = 'The engine cannot be loaded from a file.';
  });
}());
