'use strict';
// Flame graphs are complete pictures; this script zooms into a box, tells what it is, and lets the
// arrow keys walk.
(() => {
  for (const flame of document.querySelectorAll('.flame')) {
    const boxes = [...flame.querySelectorAll('button')].map(node => ({
      node, left: +node.dataset.left, width: +node.dataset.width, depth: +node.dataset.depth,
    }));
    const told = flame.parentElement.querySelector('.told');
    const root = boxes[0];
    const EDGE = 1e-6;
    const within = (box, other) =>
      box.left >= other.left - EDGE && box.left + box.width <= other.left + other.width + EDGE;
    let zoomed = root;

    const show = box => {
      zoomed = box;
      for (const other of boxes) {
        const above = other.depth < box.depth && within(box, other);
        const below = other.depth >= box.depth && within(other, box);
        const { style } = other.node;
        other.node.hidden = !above && !below;
        other.node.classList.toggle('faded', above);
        style.left = above ? '0' : `${100 * (other.left - box.left) / box.width}%`;
        style.width = above ? '100%' : `${100 * other.width / box.width}%`;
      }
    };
    const focus = box => {
      if (!box) return;
      for (const other of boxes) other.node.tabIndex = other === box ? 0 : -1;
      box.node.focus();
    };
    const seen = () => boxes.filter(box => !box.node.hidden);
    // The nearest box by key: up is what forks this one, down the widest that it forks.
    const nearest = (box, key) => {
      const all = seen();
      if (key === 'ArrowUp') return all.find(other => other.depth === box.depth - 1 && within(box, other));
      if (key === 'ArrowDown') {
        const below = all.filter(other => other.depth === box.depth + 1 && within(other, box));
        return below.sort((a, b) => b.width - a.width)[0];
      }
      const row = all.filter(other => other.depth === box.depth).sort((a, b) => a.left - b.left);
      return row[row.indexOf(box) + (key === 'ArrowRight' ? 1 : -1)];
    };

    for (const box of boxes) {
      box.node.addEventListener('click', () => { show(box === zoomed ? root : box); focus(box); });
      const tell = () => { told.textContent = box.node.title; };
      box.node.addEventListener('focus', tell);
      box.node.addEventListener('pointerenter', tell);
      box.node.addEventListener('keydown', event => {
        if (event.key === 'Escape') { show(root); event.preventDefault(); }
        if (event.key.startsWith('Arrow')) { focus(nearest(box, event.key)); event.preventDefault(); }
      });
    }
  }
})();
