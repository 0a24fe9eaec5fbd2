'use strict';
// Replays recorded schedules. It decides nothing: every step is in the record.
(() => {
  const recorded = document.getElementById('recorded');
  if (!recorded) return;
  const runs = JSON.parse(recorded.textContent);
  const get = id => document.getElementById('v-' + id);
  const NS = 'http://www.w3.org/2000/svg';
  const svg = (name, attributes, parent, text) => {
    const node = document.createElementNS(NS, name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    if (text !== undefined) node.textContent = text;
    if (parent) parent.append(node);
    return node;
  };
  const html = (name, className, parent, text) => {
    const node = document.createElement(name);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    if (parent) parent.append(node);
    return node;
  };
  const colour = processor => 'c' + processor % 7;
  const p = processor => 'p' + (processor + 1);

  let run, step = 0, timer = null, layout, chart;

  const what = r => `${r.computation}, ${r.scheduler}`;
  const options = (select, values, keep) => {
    select.replaceChildren();
    for (const value of values) {
      const option = html('option', '', select, value);
      option.value = value;
    }
    if (values.map(String).includes(String(keep))) select.value = keep;
  };
  const unique = values => [...new Set(values)];

  const choose = () => {
    const same = runs.filter(r => what(r) === get('what').value);
    options(get('processors'), unique(same.map(r => r.processors)), get('processors').value);
    const fit = same.filter(r => String(r.processors) === get('processors').value);
    options(get('seed'), unique(fit.map(r => r.seed)), get('seed').value);
    run = fit.find(r => String(r.seed) === get('seed').value);
    prepare(run);
    layout = place(run);
    get('step').max = run.steps.length;
    get('command').textContent = run.command;
    drawChart();
    show(0);
  };

  // What the script needs at every step, once for each run: the state of every thread when the step
  // begins, and the dollars in the buckets after it.
  const prepare = r => {
    if (r.prepared) return;
    const born = r.threads.map((_, at) => at === 0 ? 0 : Infinity), dead = r.threads.map(() => Infinity);
    const sums = { work: 0, steal: 0, wait: 0, idle: 0 };
    r.buckets = [];
    r.steps.forEach((s, at) => {
      s.acts.forEach(act => {
        sums[act.act]++;
        if (act.act === 'work') {
          if (act.spawns !== undefined) born[act.spawns] = at + 1;
          if (act.then === 'dead') dead[act.thread] = at + 1;
        }
      });
      r.buckets.push({ ...sums });
    });
    Object.assign(r, { born, dead, prepared: true });
  };

  // The tree of all threads: leaves side by side, parents above the middle of their children.
  const place = r => {
    const children = r.threads.map(() => []);
    r.threads.forEach((t, at) => { if (t.parent !== null) children[t.parent].push(at); });
    const nodes = [];
    let next = 0, deepest = 0;
    const visit = (at, depth) => {
      deepest = Math.max(deepest, depth);
      const below = children[at].map(child => visit(child, depth + 1));
      const x = below.length ? (below[0] + below[below.length - 1]) / 2 : next++;
      nodes[at] = { x, depth };
      return x;
    };
    visit(0, 0);
    return { nodes, children, leaves: next, deepest };
  };

  const show = at => {
    step = Math.max(0, Math.min(run.steps.length - 1, at));
    get('step').value = step + 1;
    get('now').textContent = `step ${step + 1} of ${run.steps.length}`;
    drawProcessors();
    drawBuckets();
    drawTree();
    moveChart();
    get('told').textContent = told();
    if (step === run.steps.length - 1) pause();
  };

  const name = thread => run.threads[thread].name;

  const drawProcessors = () => {
    const s = run.steps[step], area = get('deques');
    const taken = new Map(s.served.filter(v => v.thread !== null).map(v => [v.thread, v]));
    area.replaceChildren();
    s.acts.forEach((act, at) => {
      const row = html('div', 'processor ' + colour(at), area);
      html('b', '', row, p(at));
      if (act.act === 'work') html('span', 'hand works', row, `${name(act.thread)} · ${act.instruction}`);
      else if (act.act === 'steal') html('span', 'hand asks', row, `asks ${p(act.victim)}`);
      else html('span', 'hand rests', row, act.act === 'wait' ? 'waits' : 'idle');
      const deque = html('span', 'deque', row);
      const threads = s.deques[at] || [];
      if (threads.length) html('span', '', deque, 'bottom');
      for (const thread of threads) html('span', 'chip' + (taken.has(thread) ? ' taken' : ''), deque, name(thread));
      if (threads.length) html('span', '', deque, 'top');
      for (const v of s.served) if (v.thief === at && v.thread !== null) html('span', 'chip taken', deque, `gets ${name(v.thread)} from ${p(v.victim)}`);
    });
    if (!s.deques.length) {
      const row = html('div', 'processor', area);
      html('b', '', row, 'pool');
      const pool = html('span', 'deque', row);
      pool.style.gridColumn = '2 / -1';
      for (const { thread, ready } of s.pool) html('span', 'chip', pool, name(thread) + (ready ? ' ready' : ' stalled'));
    }
  };

  const drawBuckets = () => {
    const area = get('buckets'), sums = run.buckets[step];
    const all = run.processors * run.steps.length;
    area.replaceChildren();
    for (const [bucket, c] of [['work', 'c2'], ['steal', 'c3'], ['wait', 'c1'], ['idle', 'c5']]) {
      if (bucket === 'idle' && run.buckets.at(-1).idle === 0) continue;
      const row = html('div', 'bucket ' + c, area);
      html('span', '', row, bucket.toUpperCase());
      const trough = html('span', 'trough', row);
      html('i', '', trough).style.width = 100 * sums[bucket] / all + '%';
      html('span', '', row, sums[bucket] + ' $');
    }
  };

  const drawTree = () => {
    const s = run.steps[step], { nodes, children, leaves, deepest } = layout;
    const width = 1100, wide = (width - 40) / Math.max(1, leaves - 1), high = Math.min(64, 300 / Math.max(1, deepest));
    const at = n => [leaves === 1 ? width / 2 : 20 + n.x * wide, 22 + n.depth * high];
    const radius = Math.max(5, Math.min(12, wide * 0.42));
    const works = new Map(), queued = new Map();
    s.acts.forEach((act, processor) => { if (act.act === 'work') works.set(act.thread, processor); });
    s.deques.forEach((deque, processor) => deque.forEach(thread => queued.set(thread, processor)));
    const stolen = new Set(s.served.map(v => v.thread));
    const alive = thread => run.born[thread] <= step && run.dead[thread] > step;
    const picture = svg('svg', { viewBox: `0 0 ${width} ${44 + deepest * high}`, role: 'img', 'aria-label': 'the spawn tree at this step' });
    nodes.forEach((n, thread) => {
      const parent = run.threads[thread].parent;
      if (parent === null || run.born[thread] > step) return;
      const [x, y] = at(n), [px, py] = at(nodes[parent]);
      svg('path', { class: 'edge' + (alive(thread) ? ' live' : ''), d: `M${px} ${py}L${x} ${y}` }, picture);
    });
    nodes.forEach((n, thread) => {
      if (run.born[thread] > step) return;
      const [x, y] = at(n);
      const back = svg('circle', { cx: x, cy: y, r: radius, fill: 'var(--panel)' }, picture);
      const dead = !alive(thread);
      const state = dead ? 'dead' : works.has(thread) ? 'works ' + colour(works.get(thread))
        : queued.has(thread) ? 'queued ' + colour(queued.get(thread)) : 'waits';
      const node = svg('circle', { class: 'node ' + state, cx: x, cy: y, r: radius }, picture);
      svg('title', {}, node, `${name(thread)}: ${dead ? 'dead' : works.has(thread) ? 'worked on by ' + p(works.get(thread)) : queued.has(thread) ? 'in the deque of ' + p(queued.get(thread)) : 'waiting'}`);
      const leaf = !dead && children[thread].every(child => !alive(child));
      if (leaf && works.has(thread)) svg('circle', { class: 'ring', cx: x, cy: y, r: radius + 3 }, picture);
      if (stolen.has(thread)) svg('circle', { class: 'ring stolen', cx: x, cy: y, r: radius + 6 }, picture);
      if (radius >= 8) svg('text', { class: 'name' + (works.has(thread) ? ' on' : dead ? ' gone' : ''), x, y: y + 3.2 }, picture, name(thread).replace(/^t(?=\d)/, ''));
      back.remove();
      node.before(back);
    });
    get('tree').replaceChildren(picture);
  };

  const ROW = 20, LEFT = 34;
  const drawChart = () => {
    const count = run.steps.length, wide = Math.min(26, (1100 - LEFT - 8) / count);
    const picture = svg('svg', { viewBox: `0 0 1100 ${run.processors * ROW + 26}`, role: 'img', 'aria-label': 'what every processor did in every step' });
    for (let q = 0; q < run.processors; q++) svg('text', { x: LEFT - 8, y: q * ROW + 14, class: 'end' }, picture, p(q));
    const groups = run.steps.map((s, at) => {
      const group = svg('g', {}, picture), x = LEFT + at * wide;
      s.acts.forEach((act, q) => {
        const y = q * ROW + 2, w = Math.max(1, wide - 1);
        if (act.act === 'work') svg('title', {}, svg('rect', { class: `bar ${colour(q)} pattern${act.thread % 3}`, x, y, width: w, height: ROW - 4 }, group), `step ${at + 1}: ${p(q)} executes ${name(act.thread)} ${act.instruction}`);
        else if (act.act === 'steal') svg('rect', { class: 'ask', x: x + 0.5, y: y + 3, width: Math.max(1, w - 1), height: ROW - 10 }, group);
        else if (act.act === 'wait') svg('circle', { class: 'wait', cx: x + w / 2, cy: y + ROW / 2 - 2, r: 1.6 }, group);
      });
      for (const v of s.served) {
        if (v.thread === null) continue;
        const end = x + wide, from = v.victim * ROW + ROW / 2, to = v.thief * ROW + ROW / 2, way = Math.sign(to - from);
        svg('path', { class: 'steal', d: `M${end} ${from}V${to}m-3 ${-5 * way}l3 ${5 * way}l3 ${-5 * way}` }, group);
      }
      return group;
    });
    for (let number = 1; number <= count; number++) {
      if (number !== 1 && number % (wide > 16 ? 5 : wide > 6 ? 10 : 25)) continue;
      svg('text', { x: LEFT + (number - 0.5) * wide, y: run.processors * ROW + 18, class: 'middle' }, picture, number);
    }
    const now = svg('rect', { class: 'now', y: 0, width: wide, height: run.processors * ROW }, picture);
    picture.addEventListener('click', event => {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
      pause();
      show(Math.floor((point.x - LEFT) / wide));
    });
    get('chart').replaceChildren(picture);
    chart = { groups, now, wide };
  };
  const moveChart = () => {
    chart.groups.forEach((group, at) => group.setAttribute('class', at > step ? 'future' : ''));
    chart.now.setAttribute('x', LEFT + step * chart.wide);
  };

  // The step in words.
  const told = () => {
    const s = run.steps[step], words = [];
    s.acts.forEach((act, at) => {
      if (act.act !== 'work') return;
      if (act.spawns !== undefined) words.push(`${p(at)} spawns ${name(act.spawns)}`);
      if (act.then === 'stalled') words.push(`${name(act.thread)} stalls`);
      if (act.then === 'dead') words.push(`${name(act.thread)} dies`);
      for (const other of act.enables || []) words.push(`${name(act.thread)} enables ${name(other)}`);
    });
    for (const v of s.served) {
      words.push(v.thread === null ? `${p(v.thief)} finds nothing at ${p(v.victim)}` : `${p(v.thief)} steals ${name(v.thread)} from ${p(v.victim)}`);
    }
    return words.length ? words.join('; ') + '.' : 'Every busy processor goes on with its thread.';
  };

  const pause = () => {
    clearInterval(timer);
    timer = null;
    get('play').textContent = 'play';
  };
  const play = () => {
    if (timer) return pause();
    if (step === run.steps.length - 1) show(0);
    get('play').textContent = 'pause';
    timer = setInterval(() => show(step + 1), 1000 / get('speed').value);
  };

  options(get('what'), unique(runs.map(what)));
  // The first that steals on several processors shows most.
  const first = runs.find(r => r.scheduler === 'stealing' && r.processors > 2) || runs[0];
  get('what').value = what(first);
  document.getElementById('viewer').hidden = false;
  choose();
  get('processors').value = first.processors;
  choose();
  for (const id of ['what', 'processors', 'seed']) get(id).addEventListener('change', () => { pause(); choose(); });
  get('speed').addEventListener('change', () => { if (timer) { pause(); play(); } });
  get('step').addEventListener('input', () => { pause(); show(get('step').value - 1); });
  get('first').addEventListener('click', () => { pause(); show(0); });
  get('back').addEventListener('click', () => { pause(); show(step - 1); });
  get('next').addEventListener('click', () => { pause(); show(step + 1); });
  get('last').addEventListener('click', () => { pause(); show(run.steps.length - 1); });
  get('play').addEventListener('click', play);
  document.getElementById('viewer').addEventListener('keydown', event => {
    if (event.target.matches('select, input') || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'ArrowRight') { pause(); show(step + 1); }
    else if (event.key === 'ArrowLeft') { pause(); show(step - 1); }
    else if (event.key === ' ' && !event.target.matches('button')) play();
    else return;
    event.preventDefault();
  });
})();
