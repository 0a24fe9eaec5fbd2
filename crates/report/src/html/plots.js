'use strict';
// Plots are complete pictures. Here they learn to tell values, to switch curves and to zoom.
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

  // A number as short as it can be: the same rule as where the page was written.
  const raised = power => String(power).replace(/./g, c => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(c)]);
  const label = (value, digits = 6) => {
    const size = Math.abs(value);
    if (size === 0) return '0';
    if (size >= 1e-3 && size < 1e5) return String(Number(value.toPrecision(digits)));
    const [front, power] = value.toExponential(3).split('e');
    const number = Number(front);
    const tail = '10' + raised(Number(power));
    return number === 1 ? tail : number + '·' + tail;
  };

  const linearTicks = (low, high, about) => {
    const rough = (high - low) / about;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map(f => f * power).find(s => s >= rough * 0.7);
    const ticks = [];
    for (let at = Math.ceil(low / step); at <= Math.floor(high / step); at++) ticks.push(at * step);
    return ticks;
  };
  const logTicks = (low, high, about) => {
    const decades = Math.log10(high / low);
    if (decades < 0.7) return linearTicks(low, high, about);
    const factors = decades * 2 <= about ? [1, 2, 5] : [1];
    const every = Math.max(1, Math.ceil(decades / about));
    const ticks = [];
    for (let p = Math.floor(Math.log10(low)); p <= Math.ceil(Math.log10(high)); p++) {
      if (factors.length === 1 && ((p % every) + every) % every) continue;
      for (const f of factors) { const t = f * 10 ** p; if (t >= low && t <= high) ticks.push(t); }
    }
    return ticks;
  };

  // An axis: values to a part of its length, and back.
  const axis = text => {
    const [low, high, log] = text.split(' ');
    const logarithmic = log === 'true';
    const bend = logarithmic ? Math.log10 : v => v;
    const unbend = logarithmic ? v => 10 ** v : v => v;
    return { ends: [bend(+low), bend(+high)], all: [bend(+low), bend(+high)], bend, unbend, logarithmic };
  };
  const ticksOf = (a, length, each) => {
    const about = Math.max(2, Math.floor(length / each));
    const [low, high] = a.ends.map(a.unbend);
    return a.logarithmic ? logTicks(low, high, about) : linearTicks(low, high, about);
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
    const x = axis(svg.dataset.x), y = axis(svg.dataset.y);
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

    const place = (a, value, from, to) => from + (a.bend(value) - a.ends[0]) / (a.ends[1] - a.ends[0]) * (to - from);

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
        for (const tick of ticksOf(y, p.bottom - p.top, 45)) {
          const at = place(y, tick, p.bottom, p.top);
          make('path', { d: `M${p.left} ${at}H${p.right}` }, p.axes);
          make('text', { x: p.left - 7, y: at + 4, class: 'end' }, p.axes).textContent = label(tick);
        }
        for (const tick of ticksOf(x, p.right - p.left, 75)) {
          const at = place(x, tick, p.left, p.right);
          make('path', { d: `M${at} ${p.top}V${p.bottom}` }, p.axes);
          make('text', { x: at, y: p.bottom + 16, class: 'middle' }, p.axes).textContent = label(tick);
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
        a.ends = parts.map(t => low + t * (high - low));
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
          const at = place(x, point.x, p.left, p.right);
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
      head.textContent = (title ? title + ': ' : '') + 'x = ' + label(shown[0].point.x, 4);
      tip.append(head);
      for (const { curve, point } of shown) {
        const row = document.createElement('div');
        row.className = curve.getAttribute('class');
        const interval = point.low === null ? '' : `  (${label(point.low, 4)} … ${label(point.high, 4)})`;
        row.textContent = `${curve.dataset.label}: ${label(point.y, 4)}${interval}`;
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
            const px = place(x, point.x, p.left, p.right);
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
