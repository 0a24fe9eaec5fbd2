'use strict';
// Light or dark: as the system says, until the reader chooses.
(() => {
  const root = document.documentElement;
  const button = document.getElementById('theme');
  const system = matchMedia('(prefers-color-scheme: dark)');
  const dark = () => root.dataset.theme ? root.dataset.theme === 'dark' : system.matches;
  const name = () => { button.textContent = dark() ? 'light' : 'dark'; };
  button.hidden = false;
  button.setAttribute('aria-label', 'switch between light and dark');
  button.addEventListener('click', () => { root.dataset.theme = dark() ? 'light' : 'dark'; name(); });
  system.addEventListener('change', name);
  name();
})();
