/** The wire to the server: questions with numbers, answers by type, binary frames as Float32Arrays without a copy. */

/**
 * @typedef {Object} Answer
 * @property {string} type
 * @property {number} [id]
 * @property {string} [doc]
 * @property {Record<string, Float32Array>} [data]  the arrays of a binary answer
 *
 * @typedef {{name: string, shape: number[], offset: number}} ArrayFacts
 */

/** An error that the server told, as a sentence. */
export class Refusal extends Error {
  /** @param {{message: string, code: string, where?: string | null, step?: string | null}} told */
  constructor(told) {
    super(told.message);
    this.code = told.code;
    this.where = told.where ?? null;
    this.step = told.step ?? null;
  }
}

/**
 * The header and the arrays of a binary frame.
 * @param {ArrayBuffer} buffer
 * @returns {Answer & Record<string, any>}
 */
export function readFrame(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const start = (4 + length + 7) & ~7;
  /** @type {Record<string, Float32Array>} */ const data = {};
  for (const { name, shape, offset } of /** @type {ArrayFacts[]} */ (header.arrays ?? [])) {
    data[name] = new Float32Array(
      buffer,
      start + offset,
      shape.reduce((product, n) => product * n, 1),
    );
  }
  return { ...header, data };
}

export class Link {
  /** @param {string} url */
  constructor(url) {
    this.url = url;
    this.count = 0;
    this.wait = 300;
    this.closed = false;
    /** @type {WebSocket | null} */ this.socket = null;
    /** @type {Map<number, {resolve: (answer: any) => void, reject: (error: Error) => void, message: object}>} */ this.asked =
      new Map();
    /** @type {Map<string, Set<(answer: any) => void>>} */ this.listeners = new Map();
    /** @type {object[]} */ this.unsent = [];
    /** @type {(state: "open" | "lost") => void} */ this.onState = () => {};
    this.connect();
  }

  connect() {
    const socket = new WebSocket(this.url);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.wait = 300;
      this.onState("open");
      for (const message of this.unsent.splice(0)) socket.send(JSON.stringify(message));
    };
    socket.onmessage = ({ data }) => this.take(typeof data === "string" ? JSON.parse(data) : readFrame(data));
    socket.onclose = () => {
      if (this.closed) return;
      this.onState("lost");
      for (const { reject } of this.asked.values())
        reject(new Refusal({ message: "The connection was lost.", code: "lost" }));
      this.asked.clear();
      setTimeout(() => {
        if (!this.closed) this.connect();
      }, this.wait);
      this.wait = Math.min(5000, this.wait * 1.6);
    };
  }

  /** @param {Answer & Record<string, any>} answer */
  take(answer) {
    for (const tell of this.listeners.get(answer.type) ?? []) tell(answer);
    const asked = answer.id == null ? undefined : this.asked.get(answer.id);
    if (!asked) return;
    if (answer.type === "error") asked.reject(new Refusal(/** @type {any} */ (answer)));
    else if (answer.type === "done" || /** @type {any} */ (asked.message).answer === answer.type) asked.resolve(answer);
    else return;
    this.asked.delete(/** @type {number} */ (answer.id));
  }

  /** Ask, and wait for `done` or for the answer of a type. @param {string} type @param {Record<string, any>} [fields] @param {string} [answer] @returns {Promise<any>} */
  ask(type, fields = {}, answer) {
    const id = ++this.count;
    return new Promise((resolve, reject) => {
      this.asked.set(id, { resolve, reject, message: { answer } });
      this.send({ type, id, ...fields });
    });
  }

  /** Say without waiting for an answer. @param {string} type @param {Record<string, any>} [fields] @returns {number} its number */
  say(type, fields = {}) {
    const id = ++this.count;
    this.send({ type, id, ...fields });
    return id;
  }

  /** @param {object} message */
  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    else if (!(/** @type {any} */ (message).drag)) this.unsent.push(message);
  }

  /** Told of every answer of a type. @param {string} type @param {(answer: any) => void} then @returns {() => void} */
  on(type, then) {
    const set = this.listeners.get(type) ?? new Set();
    this.listeners.set(type, set.add(then));
    return () => set.delete(then);
  }

  dispose() {
    this.closed = true;
    this.socket?.close();
  }
}
