'use strict';
// The filter above the table of claims.
(() => {
  const failing = document.getElementById('failing');
  failing.closest('.filter').hidden = false;
  failing.addEventListener('change', () => {
    document.querySelector('#claims table').classList.toggle('only-fails', failing.checked);
  });
})();
