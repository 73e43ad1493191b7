/** The wire to the server: questions with numbers, answers by type, binary frames as Float32Arrays without a copy. */

/** @import { AnswerTo, Answers, ArrayFacts } from "./answers.js" */
/** @typedef {Answers[keyof Answers]} Answer */
/** @typedef {{type: string, id: number, drag?: boolean} & Record<string, unknown>} Message */

/** An error that the server reports. */
export class Refusal extends Error {
  /** @param {{message: string, code: string, where?: string | null, step?: string | null}} error */
  constructor(error) {
    super(error.message);
    this.code = error.code;
    this.where = error.where ?? null;
    this.step = error.step ?? null;
  }
}

/**
 * The header and the arrays of a binary frame.
 * @param {ArrayBuffer} buffer
 * @returns {Answer}
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
    /** @type {Map<number, {resolve: (answer: Answer) => void, reject: (error: Error) => void, kind: string}>} */
    this.asked = new Map();
    /** @type {Map<string, Set<(answer: Answer) => void>>} */ this.callbacks = new Map();
    /** @type {Message[]} */ this.unsent = [];
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

  /** @param {Answer} answer */
  take(answer) {
    for (const call of this.callbacks.get(answer.type) ?? []) call(answer);
    const id = "id" in answer ? answer.id : null,
      asked = id === null ? undefined : this.asked.get(id);
    if (!asked || id === null) return;
    if (answer.type === "error") asked.reject(new Refusal(answer));
    else if (answer.type === "done" || asked.kind === answer.type) asked.resolve(answer);
    else return;
    this.asked.delete(id);
  }

  /**
   * Ask, and wait for `done` or for the answer of a type.
   * @template {string} Type
   * @template {keyof Answers} [Kind="done"]
   * @param {Type} type
   * @param {Record<string, unknown>} [fields]
   * @param {Kind} [kind]
   * @returns {Promise<AnswerTo<Type, Kind>>}
   */
  ask(type, fields = {}, kind) {
    const id = ++this.count;
    return new Promise((resolve, reject) => {
      this.asked.set(id, {
        resolve: /** @type {(answer: Answer) => void} */ (/** @type {unknown} */ (resolve)),
        reject,
        kind: kind ?? "done",
      });
      this.send({ type, id, ...fields });
    });
  }

  /** Send without waiting for an answer. @param {string} type @param {Record<string, unknown>} [fields] @returns {number} its number */
  say(type, fields = {}) {
    const id = ++this.count;
    this.send({ type, id, ...fields });
    return id;
  }

  /** @param {Message} message */
  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    else if (!message.drag) this.unsent.push(message);
  }

  /** Call back with every answer of a type. @template {keyof Answers} Kind @param {Kind} kind @param {(answer: Answers[Kind]) => void} then */
  on(kind, then) {
    const set = this.callbacks.get(kind) ?? new Set();
    this.callbacks.set(kind, set.add(/** @type {(answer: Answer) => void} */ (then)));
  }

  dispose() {
    this.closed = true;
    this.socket?.close();
  }
}
