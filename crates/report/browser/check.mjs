// What the report must do in a browser. Run by .ci/browser, which says what to install.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Chromium } from './chromium.mjs';

const [program, page, profile, pictures] = process.argv.slice(2);
const browser = new Chromium(program, profile);
const tab = await browser.tab();
const { run, send } = tab;

const complaints = [];
const requests = [];
browser.listen(({ method, params, sessionId }) => {
  if (sessionId !== tab.sessionId) return;
  if (method === 'Runtime.exceptionThrown') complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
  if (method === 'Runtime.consoleAPICalled' && params.type === 'error') complaints.push(params.args.map(arg => arg.value ?? arg.description).join(' '));
  if (method === 'Log.entryAdded' && params.entry.level === 'error') complaints.push(params.entry.text);
  if (method === 'Network.requestWillBeSent' && !/^(file|data):/.test(params.request.url)) requests.push(params.request.url);
});

let failures = 0;
const check = (what, good, detail = '') => {
  console.log(`${good ? 'ok  ' : 'FAIL'} ${what}${good || detail === '' ? '' : ': ' + detail}`);
  if (!good) failures++;
};
const key = async (name, code = name) => {
  await send('Input.dispatchKeyEvent', { type: 'keyDown', key: name, code });
  await send('Input.dispatchKeyEvent', { type: 'keyUp', key: name, code });
};
const mouse = (type, x, y, extra = {}) => send('Input.dispatchMouseEvent', { type, x, y, ...extra });
// A picture of what is seen, or of one element whole.
const shot = async (name, selector) => {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  const clip = selector && await run(`(() => { const b = document.querySelector('${selector}').getBoundingClientRect();
    return { x: b.x + scrollX, y: b.y + scrollY, width: b.width, height: b.height, scale: 1 }; })()`);
  const { data } = await send('Page.captureScreenshot', { format: 'png', clip, captureBeyondViewport: Boolean(clip) });
  writeFileSync(join(pictures, name), Buffer.from(data, 'base64'));
};
const painted = () => run('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))');

for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await send(`${domain}.enable`);
const open = async scheme => {
  await send('Emulation.setDeviceMetricsOverride', { width: 1240, height: 900, deviceScaleFactor: 1, mobile: false });
  await send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
  const loaded = new Promise(done => browser.listen(({ method }) => method === 'Page.loadEventFired' && done()));
  await send('Page.navigate', { url: pathToFileURL(page).href });
  await loaded;
};

const report = JSON.parse(readFileSync(join(dirname(page), 'report.json'), 'utf8'));
const backgrounds = {};
for (const scheme of ['light', 'dark']) {
  await open(scheme);
  backgrounds[scheme] = await run('getComputedStyle(document.body).backgroundColor');
  for (const chapter of report.chapters) {
    const id = JSON.stringify(chapter.id);
    const seen = await run(`(() => {
      const section = document.getElementById(${id});
      section.scrollIntoView({ behavior: 'instant' });
      const box = section.getBoundingClientRect();
      const plots = [...section.querySelectorAll('svg.plot')];
      const drawn = plots.filter(plot => { const b = plot.getBoundingClientRect(); return b.width > 100 && b.height > 100 && plot.querySelector('.s path.line, .s path.marks'); });
      return { height: box.height, plots: plots.length, drawn: drawn.length, claims: section.querySelectorAll('table.claims tbody tr').length };
    })()`);
    const plots = chapter.plots ?? [];
    const withPoints = plots.filter(plot => plot.series.some(series => series.points.some(({ y }) => y > 0))).length;
    check(`${scheme}: chapter ${chapter.id} renders ${plots.length} plots and ${chapter.claims.length} claims`,
      seen.height > 100 && seen.plots === plots.length && seen.drawn >= withPoints && seen.claims === chapter.claims.length, JSON.stringify(seen));
    await painted();
    await shot(`${scheme}-${chapter.id}.png`);
  }
  await run('scrollTo({ top: 0, behavior: "instant" })');
  await painted();
  await shot(`${scheme}-front.png`);
  await run('document.getElementById("claims").scrollIntoView({ behavior: "instant" })');
  await painted();
  await shot(`${scheme}-claims.png`);
  const wide = await run('document.documentElement.scrollWidth <= innerWidth');
  check(`${scheme}: the page does not scroll sideways`, wide);
}
check('light and dark differ', backgrounds.light !== backgrounds.dark, JSON.stringify(backgrounds));
await run('document.getElementById("theme").click()');
check('the button switches to light', await run('getComputedStyle(document.body).backgroundColor') === backgrounds.light);
await open('light');

// Data links: each is the file that lies beside the page, and as many lines as points.
const links = await run(`Promise.all([...document.querySelectorAll('a.data')].map(async link => [link.download, await (await fetch(link.href)).text()]))`);
const plots = report.chapters.flatMap(chapter => chapter.plots ?? []);
check(`there are ${plots.length} data links`, links.length === plots.length, String(links.length));
const strays = links.filter(([name, text]) => {
  const plot = plots.find(plot => `${plot.id}.csv` === name);
  const points = plot?.series.reduce((sum, series) => sum + series.points.length, 0);
  return text.trim().split('\n').length !== points + 1 || readFileSync(join(dirname(page), basename(name)), 'utf8') !== text;
});
check('every data link resolves to the file beside the page', strays.length === 0, strays.map(([name]) => name).join(', '));
const dead = await run(`[...document.querySelectorAll('a[href^="#"]')].map(a => a.getAttribute('href').slice(1)).filter(id => !document.getElementById(id))`);
check('every link inside the page has its target', dead.length === 0, dead.join(', '));

if (plots.length) {
  // A plot: hover, switch, zoom and back, then the same by keyboard.
  const plot = 'document.querySelector(".figures svg.plot")';
  await run(`${plot}.scrollIntoView({ block: 'center', behavior: 'instant' })`);
  const box = await run(`(() => { const b = ${plot}.querySelector('.back').getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()`);
  const at = (x, y) => [box[0] + box[2] * x, box[1] + box[3] * y];
  await mouse('mouseMoved', ...at(0.5, 0.5));
  const tip = 'document.querySelector(".tip")';
  check('hovering tells values', await run(`!${tip}.hidden && ${tip}.textContent.includes('x = ')`));
  const before = await run(`${plot}.querySelector('.axes').textContent`);
  await mouse('mousePressed', ...at(0.2, 0.2), { button: 'left', clickCount: 1 });
  await mouse('mouseMoved', ...at(0.6, 0.7), { button: 'left', buttons: 1 });
  await mouse('mouseReleased', ...at(0.6, 0.7), { button: 'left', clickCount: 1 });
  check('dragging zooms', await run(`${plot}.classList.contains('zoomed') && ${plot}.querySelector('.axes').textContent !== ${JSON.stringify(before)}`));
  for (const clickCount of [1, 2]) {
    await mouse('mousePressed', ...at(0.5, 0.5), { button: 'left', clickCount });
    await mouse('mouseReleased', ...at(0.5, 0.5), { button: 'left', clickCount });
  }
  check('a double click shows all again', await run(`!${plot}.classList.contains('zoomed') && ${plot}.querySelector('.axes').textContent === ${JSON.stringify(before)}`));
  const legend = 'document.querySelector(".figures .legend button")';
  check('the legend switches a curve off and on', await run(`(() => { const count = () => ${plot}.querySelectorAll('.off').length;
    ${legend}.click(); const off = count(); ${legend}.click(); return off > 0 && count() === 0; })()`));
  await run(`${plot}.focus()`);
  await key('ArrowRight');
  check('arrow keys tell values', await run(`!${tip}.hidden && ${tip}.textContent.includes('x = ')`));
  await key('+');
  check('+ zooms', await run(`${plot}.classList.contains('zoomed')`));
  // Every plot at every depth, down to the deepest: both axes keep their ticks, and no label covers
  // another.
  const bare = await run(`[...document.querySelectorAll('svg.plot')].flatMap(plot => {
    const press = key => plot.dispatchEvent(new KeyboardEvent('keydown', { key }));
    const bad = [];
    press('0');
    for (let depth = 1; depth <= 9; depth++) {
      press('+');
      for (const panel of plot.querySelectorAll('.panel')) for (const [axis, start, end] of [['end', 'top', 'bottom'], ['middle', 'left', 'right']]) {
        const boxes = [...panel.querySelectorAll('.axes text.' + axis)].map(text => text.getBoundingClientRect()).sort((m, n) => m[start] - n[start]);
        const covered = boxes.some((box, at) => at > 0 && box[start] < boxes[at - 1][end]);
        if (boxes.length === 0 || covered) bad.push([plot.querySelector('title').textContent, axis, depth, boxes.length].join(' '));
      }
    }
    press('0');
    return bad;
  })`);
  check('zoomed axes keep their ticks', bare.length === 0, bare.length + ': ' + bare.slice(0, 9).join('; '));
  await run(`${plot}.focus()`);
  await key('+');
  await key('0');
  check('0 shows all again', await run(`!${plot}.classList.contains('zoomed')`));
}

// The viewer: every recorded run can be chosen and stepped to its end, where the buckets hold P
// dollars for each step.
await run(`document.getElementById('viewer').scrollIntoView({ behavior: 'instant' })`);
const step = () => run('Number(document.getElementById("v-step").value)');
await run('document.getElementById("v-next").click()');
check('the viewer steps on', await step() === 2);
await run('document.getElementById("v-back").click()');
check('the viewer steps back', await step() === 1);
await run('document.getElementById("viewer").focus()');
await key('ArrowRight');
check('the viewer steps by keyboard', await step() === 2);
await run('document.getElementById("v-speed").value = 15; document.getElementById("v-play").click()');
// Paused in the same task that sees step 5: on a busy machine the run would end before the next
// command arrives.
const moved = await run(`new Promise(done => {
  const from = Date.now();
  const look = () => {
    if (Number(document.getElementById('v-step').value) > 4) { document.getElementById('v-play').click(); done(true); }
    else if (Date.now() - from > 20000) done(false);
    else setTimeout(look, 50);
  };
  look();
})`);
check('the viewer plays', moved);
const paused = await step();
check('the viewer pauses', await run('new Promise(done => setTimeout(done, 400))') === undefined && await step() === paused);
const told = await run(`(() => {
  const runs = JSON.parse(document.getElementById('recorded').textContent);
  const choose = (id, value) => { const select = document.getElementById(id); select.value = value; select.dispatchEvent(new Event('change')); return select.value === String(value); };
  return runs.map(r => {
    const chosen = choose('v-what', r.computation + ', ' + r.scheduler) && choose('v-processors', r.processors) && choose('v-seed', r.seed);
    const slider = document.getElementById('v-step');
    let steals = 0;
    for (let at = 1; at <= r.steps.length; at++) { slider.value = at; slider.dispatchEvent(new Event('input')); steals += document.querySelectorAll('#v-tree .stolen').length; }
    const dollars = [...document.querySelectorAll('#v-buckets .bucket span:last-child')].reduce((sum, cell) => sum + parseInt(cell.textContent), 0);
    const expected = r.steps.flatMap(s => s.served).filter(v => v.thread !== null).length;
    return { run: [r.computation, r.scheduler, r.processors, r.seed].join(' '), good: chosen && dollars === r.processors * r.steps.length && steals === expected
      && document.querySelectorAll('#v-deques .processor b').length >= r.processors, dollars, steals, expected };
  });
})()`);
for (const { run: name, good, ...detail } of told) check(`the viewer shows ${name} to its end`, good, JSON.stringify(detail));
await run(`(() => { const set = (id, value) => { const node = document.getElementById(id); node.value = value; node.dispatchEvent(new Event(id === 'v-step' ? 'input' : 'change')); };
  set('v-what', 'fib:7, stealing'); set('v-processors', 4);
  // In the middle of the run, in a step with a steal.
  const r = JSON.parse(document.getElementById('recorded').textContent).find(r => r.computation === 'fib:7' && r.processors === 4 && r.seed === Number(document.getElementById('v-seed').value));
  set('v-step', 1 + r.steps.findIndex((s, at) => at > r.steps.length / 2 && s.served.some(v => v.thread !== null)));
  document.getElementById('schedules').scrollIntoView({ behavior: 'instant' }); })()`);
await painted();
await run('document.activeElement.blur()');
await shot('light-viewer.png', '#viewer');
await send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: 'dark' }] });
await painted();
await shot('dark-viewer.png', '#viewer');

check('nothing was asked of the network', requests.length === 0, requests.join(', '));
check('no error on the console', complaints.length === 0, complaints.join(' | '));
await browser.close();
console.log(failures ? `${failures} checks failed` : 'all checks passed');
process.exit(failures ? 1 : 0);
