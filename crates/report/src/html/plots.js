'use strict';
// Plots are complete pictures; this script adds values under the pointer, switching of curves, and
// zooming.
(() => {
  const NS = 'http://www.w3.org/2000/svg';
  const tip = document.createElement('div');
  tip.className = 'tip';
  tip.setAttribute('role', 'status');
  tip.hidden = true;
  document.body.append(tip);

  const make = (name, attributes, parent) => {
    const node = document.createElementNS(NS, name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    if (parent) parent.append(node);
    return node;
  };

  const short = value => Math.abs(value) >= 1e6 ? value.toExponential(3) : String(Number(value.toPrecision(4)));

  // An axis: its ends, which zooming moves, and the ticks that the page carries, level by level.
  // Values are bent: on a logarithmic axis they are logarithms.
  const axis = (ends, ticks) => {
    const [low, high, logarithmic, closest] = ends.split(' ');
    const bend = logarithmic === 'true' ? Math.log10 : value => value;
    const all = [bend(+low), bend(+high)];
    const levels = ticks.split('|').map(level => level.split(' ').map(tick => {
      const [value, label = value] = tick.split('=');
      return { at: bend(+value), label };
    }));
    return { all, ends: [...all], bend, closest: +closest, levels };
  };
  // The ticks between the ends, down to the last level that is not too close on so many pixels.
  const ticksOf = (a, pixels) => {
    const [low, high] = a.ends, closest = a.closest / pixels * (high - low);
    let chosen = [];
    for (const level of a.levels) {
      const inside = [...chosen, ...level.filter(tick => tick.at >= low && tick.at <= high)].sort((m, n) => m.at - n.at);
      const crowded = inside.some((tick, at) => at > 0 && tick.at - inside[at - 1].at < closest);
      if (crowded && level !== a.levels[0]) break;
      chosen = inside;
    }
    return chosen;
  };

  // The data of a plot, read from its own link.
  const read = href => {
    const text = decodeURIComponent(href.slice(href.indexOf(',') + 1));
    const series = new Map();
    for (const line of text.split('\n').slice(1)) {
      const match = /^"((?:[^"]|"")*)",(\w+),([^,]*),([^,]*),([^,]*),([^,]*)$/.exec(line);
      if (!match) continue;
      const name = match[1].replace(/""/g, '"');
      if (!series.has(name)) series.set(name, []);
      const [x, y, low, high] = match.slice(3).map(v => v === '' ? null : Number(v));
      series.get(name).push({ x, y, low, high });
    }
    return series;
  };

  for (const svg of document.querySelectorAll('svg.plot')) {
    const figure = svg.closest('figure');
    const id = svg.getAttribute('aria-labelledby').split(' ')[0].replace(/^front-/, '').replace(/-t$/, '');
    const x = axis(svg.dataset.x, svg.dataset.xTicks), y = axis(svg.dataset.y, svg.dataset.yTicks);
    const panels = [...svg.querySelectorAll('.panel')].map(node => {
      const [left, right, top, bottom] = node.dataset.box.split(' ').map(Number);
      const curves = [...node.querySelectorAll('.s')];
      return { node, left, right, top, bottom, curves, axes: node.querySelector('.axes'), still: node.querySelector('.axes').innerHTML };
    });
    const paths = [...svg.querySelectorAll('.s path')].map(node => ({ node, d: node.getAttribute('d'), panel: panels.find(p => p.node.contains(node)) }));
    const cursor = make('path', { class: 'cursor', d: '' }, svg);
    const frame = make('rect', { class: 'zoom', width: 0, height: 0 }, svg);
    let data = null;
    const values = () => data || (data = read(document.querySelector(`#plot-${CSS.escape(id)} a.data`).getAttribute('href')));

    const place = (a, bent, from, to) => from + (bent - a.ends[0]) / (a.ends[1] - a.ends[0]) * (to - from);

    // Switching curves.
    for (const button of figure.querySelectorAll('.legend button')) {
      button.addEventListener('click', () => {
        const on = button.getAttribute('aria-pressed') !== 'true';
        button.setAttribute('aria-pressed', on);
        for (const curve of svg.querySelectorAll('.s')) {
          if (curve.dataset.label === button.dataset.label && curve.classList.contains(button.dataset.origin)) curve.classList.toggle('off', !on);
        }
      });
    }

    // Zooming: every place moves, the axes are drawn anew.
    const redraw = () => {
      const whole = [x, y].every(a => a.ends[0] === a.all[0] && a.ends[1] === a.all[1]);
      svg.classList.toggle('zoomed', !whole);
      const part = (a, t) => (a.all[0] + t * (a.all[1] - a.all[0]) - a.ends[0]) / (a.ends[1] - a.ends[0]);
      for (const { node, d, panel: p } of paths) {
        if (whole) { node.setAttribute('d', d); continue; }
        node.setAttribute('d', d.replace(/([ML])(-?[\d.]+) (-?[\d.]+)/g, (_, command, px, py) => {
          const nx = p.left + part(x, (px - p.left) / (p.right - p.left)) * (p.right - p.left);
          const ny = p.bottom + part(y, (py - p.bottom) / (p.top - p.bottom)) * (p.top - p.bottom);
          return `${command}${nx.toFixed(2)} ${ny.toFixed(2)}`;
        }));
      }
      for (const p of panels) {
        if (whole) { p.axes.innerHTML = p.still; continue; }
        p.axes.replaceChildren();
        for (const tick of ticksOf(y, p.bottom - p.top)) {
          const at = place(y, tick.at, p.bottom, p.top);
          make('path', { d: `M${p.left} ${at}H${p.right}` }, p.axes);
          make('text', { x: p.left - 7, y: at + 4, class: 'end' }, p.axes).textContent = tick.label;
        }
        for (const tick of ticksOf(x, p.right - p.left)) {
          const at = place(x, tick.at, p.left, p.right);
          make('path', { d: `M${at} ${p.top}V${p.bottom}` }, p.axes);
          make('text', { x: at, y: p.bottom + 16, class: 'middle' }, p.axes).textContent = tick.label;
        }
      }
      cursor.setAttribute('d', '');
      tip.hidden = true;
    };
    const reset = () => { x.ends = [...x.all]; y.ends = [...y.all]; redraw(); };
    const zoomTo = (p, [ax, ay], [bx, by]) => {
      const cut = (a, from, to) => {
        const [low, high] = a.ends;
        const parts = [from, to].sort((m, n) => m - n).map(t => Math.min(1, Math.max(0, t)));
        if (parts[1] - parts[0] < 0.01) return;
        const middle = low + (parts[0] + parts[1]) / 2 * (high - low);
        const least = (a.all[1] - a.all[0]) / svg.dataset.zoom;
        const length = Math.max(least, (parts[1] - parts[0]) * (high - low));
        const start = Math.max(a.all[0], Math.min(middle - length / 2, a.all[1] - length));
        a.ends = [start, Math.min(a.all[1], start + length)];
      };
      cut(x, (ax - p.left) / (p.right - p.left), (bx - p.left) / (p.right - p.left));
      cut(y, (p.bottom - ay) / (p.bottom - p.top), (p.bottom - by) / (p.bottom - p.top));
      redraw();
    };

    const inside = event => {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      const p = panels.find(q => point.x >= q.left - 4 && point.x <= q.right + 4 && point.y >= q.top - 4 && point.y <= q.bottom + 4);
      return [p, point];
    };

    // Telling the values of a panel nearest to a place across.
    const tell = (p, across, clientX, clientY) => {
      const rows = [];
      let nearest = null;
      for (const curve of p.curves) {
        if (curve.classList.contains('off')) continue;
        let best = null;
        for (const point of values().get(curve.dataset.series) || []) {
          const at = place(x, x.bend(point.x), p.left, p.right);
          if (!Number.isFinite(at) || at < p.left - 1 || at > p.right + 1) continue;
          if (!best || Math.abs(at - across) < Math.abs(best.at - across)) best = { at, point };
        }
        if (!best) continue;
        if (!nearest || Math.abs(best.at - across) < Math.abs(nearest - across)) nearest = best.at;
        rows.push({ curve, ...best });
      }
      if (nearest === null) { tip.hidden = true; return; }
      tip.replaceChildren();
      const head = document.createElement('b');
      const title = p.node.querySelector('.panel-title').textContent;
      const shown = rows.filter(row => Math.abs(row.at - nearest) < 12);
      head.textContent = (title ? title + ': ' : '') + 'x = ' + short(shown[0].point.x);
      tip.append(head);
      for (const { curve, point } of shown) {
        const row = document.createElement('div');
        row.className = curve.getAttribute('class');
        const interval = point.low === null ? '' : `  (${short(point.low)} … ${short(point.high)})`;
        row.textContent = `${curve.dataset.label}: ${short(point.y)}${interval}`;
        tip.append(row);
      }
      cursor.setAttribute('d', `M${nearest} ${p.top}V${p.bottom}`);
      tip.hidden = false;
      const box = tip.getBoundingClientRect();
      tip.style.left = Math.max(4, Math.min(clientX + 14, innerWidth - box.width - 8)) + scrollX + 'px';
      tip.style.top = Math.max(4, clientY + 14 + box.height > innerHeight ? clientY - box.height - 10 : clientY + 14) + scrollY + 'px';
    };

    let drag = null;
    svg.addEventListener('pointermove', event => {
      const [p, point] = inside(event);
      if (drag) {
        frame.setAttribute('x', Math.min(point.x, drag.x));
        frame.setAttribute('y', Math.min(point.y, drag.y));
        frame.setAttribute('width', Math.abs(point.x - drag.x));
        frame.setAttribute('height', Math.abs(point.y - drag.y));
        drag.end = [point.x, point.y];
        tip.hidden = true;
      } else if (p) tell(p, point.x, event.clientX, event.clientY);
      else { tip.hidden = true; cursor.setAttribute('d', ''); }
    });
    svg.addEventListener('pointerleave', () => { tip.hidden = true; cursor.setAttribute('d', ''); });
    svg.addEventListener('pointerdown', event => {
      const [p, point] = inside(event);
      if (!p || event.button !== 0 || event.pointerType === 'touch') return;
      drag = { p, x: point.x, y: point.y, end: null };
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener('pointerup', () => {
      if (drag && drag.end && Math.hypot(drag.end[0] - drag.x, drag.end[1] - drag.y) > 8) zoomTo(drag.p, [drag.x, drag.y], drag.end);
      drag = null;
      frame.setAttribute('width', 0);
      frame.setAttribute('height', 0);
    });
    svg.addEventListener('dblclick', reset);

    // The same from the keyboard: arrows go from value to value, + and − zoom, 0 shows all.
    let at = -1, panel = 0;
    svg.addEventListener('keydown', event => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const p = panels[panel];
      if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
        const places = new Set();
        for (const curve of p.curves) {
          if (curve.classList.contains('off')) continue;
          for (const point of values().get(curve.dataset.series) || []) {
            const px = place(x, x.bend(point.x), p.left, p.right);
            if (px >= p.left - 1 && px <= p.right + 1) places.add(px);
          }
        }
        const all = [...places].sort((m, n) => m - n);
        at = Math.max(0, Math.min(all.length - 1, at + (event.key === 'ArrowRight' ? 1 : -1)));
        if (all.length) {
          const screen = new DOMPoint(all[at], (p.top + p.bottom) / 2).matrixTransform(svg.getScreenCTM());
          tell(p, all[at], screen.x, screen.y);
        }
      } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
        if (panels.length === 1) return;
        panel = (panel + (event.key === 'ArrowDown' ? 1 : panels.length - 1)) % panels.length;
        at = -1;
      } else if (event.key === '+' || event.key === '=') {
        const [w, h] = [p.right - p.left, p.bottom - p.top];
        zoomTo(p, [p.left + w * 0.15, p.top + h * 0.15], [p.right - w * 0.15, p.bottom - h * 0.15]);
      } else if (event.key === '-' || event.key === '0' || event.key === 'Escape') reset();
      else return;
      event.preventDefault();
    });
    svg.addEventListener('blur', () => { tip.hidden = true; cursor.setAttribute('d', ''); });
  }
})();
