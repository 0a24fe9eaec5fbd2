// Chromium without a window, driven through its DevTools protocol over a pipe: no package is needed
// for that.
import { spawn } from 'node:child_process';

export class Chromium {
  #next = 1;
  #waiting = new Map();
  #listeners = [];
  #rest = '';

  constructor(program, profile) {
    // As root, as in most containers, Chromium has no sandbox to offer; what it opens is a file
    // that we wrote.
    const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    this.process = spawn(program, [
      '--headless=new', '--remote-debugging-pipe', `--user-data-dir=${profile}`, '--no-first-run', '--disable-gpu',
      '--disable-dev-shm-usage', '--hide-scrollbars', '--host-resolver-rules=MAP * ~NOTFOUND', ...root, 'about:blank',
    ], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    this.process.on('error', error => { console.error(`cannot start ${program}: ${error.message}`); process.exit(1); });
    this.process.stdio[4].on('data', data => this.#receive(String(data)));
  }

  #receive(text) {
    const messages = (this.#rest + text).split('\0');
    this.#rest = messages.pop();
    for (const message of messages.map(JSON.parse)) {
      if (message.id) {
        const { resolve, reject } = this.#waiting.get(message.id);
        this.#waiting.delete(message.id);
        message.error ? reject(new Error(message.error.message)) : resolve(message.result);
      } else for (const listener of this.#listeners) listener(message);
    }
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.#next++;
    this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + '\0');
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  listen(listener) { this.#listeners.push(listener); }

  /** A new tab: `send`, and `run` for JavaScript inside the page. */
  async tab() {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const send = (method, params) => this.send(method, params, sessionId);
    const run = async expression => {
      const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    };
    return { sessionId, send, run };
  }

  async close() {
    const ended = new Promise(resolve => this.process.on('exit', resolve));
    await this.send('Browser.close').catch(() => {});
    await ended;
  }
}
