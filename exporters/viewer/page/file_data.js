// Reads the data of a page that is one file: parts, compressed and in base64, each in its script element.

/**
 * The bytes of a part, or null if the file does not have it.
 * @param {string} name
 */
async function bytesOf(name) {
  const element = document.querySelector(`script[data-part="${name}"]`);
  if (!element) return null;
  const packed = fromBase64(element.textContent ?? '');
  element.remove(); // the element is needed only once
  const Inflate = /** @type {any} */ (globalThis).DecompressionStream; // the type checker does not know it
  const stream = new Blob([packed]).stream().pipeThrough(new Inflate('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** @param {string} text */
function fromBase64(text) {
  const decode = /** @type {any} */ (Uint8Array).fromBase64;
  if (decode) return /** @type {Uint8Array} */ (decode.call(Uint8Array, text));
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i += 1) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/**
 * A part that is JSON.
 * @param {string} name
 * @returns {Promise<any>}
 */
export async function readJson(name) {
  const bytes = await bytesOf(name);
  return bytes && JSON.parse(new TextDecoder().decode(bytes));
}

/**
 * All parts of a kind: events-0, events-1, …
 * @param {string} kind
 */
export async function* readParts(kind) {
  for (let number = 0; ; number += 1) {
    const bytes = await bytesOf(`${kind}-${number}`);
    if (!bytes) return;
    yield bytes;
  }
}

/** Numbers of 7 bits a byte, the lowest first. All are whole and below 2^53. */
class Varints {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  next() {
    const { bytes } = this;
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = bytes[this.at];
      this.at += 1;
      if (byte === undefined) throw new Error('the data of this file is damaged');
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
  }

  /** 0, -1, 1, -2, … are 0, 1, 2, 3, … */
  signed() {
    const value = this.next();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }
}

/**
 * The events of a row, lane after lane, each sorted by start.
 * @typedef {{row: number, laneAt: Uint32Array, start: Float64Array, duration: Float64Array, name: Uint32Array, id: Uint32Array, flags: Uint16Array}} Events
 */

export const FLAG_OPEN = 1;
export const FLAG_INSTANT = 2;
export const FLAG_LINKS = 4;
export const FLAG_PATH = 8;
export const SOURCE_SHIFT = 4;

/**
 * The rows in a part of events.
 * @param {Uint8Array} bytes
 * @returns {Generator<Events>}
 */
export function* decodeEvents(bytes) {
  const input = new Varints(bytes);
  while (input.at < bytes.length) {
    const row = input.next();
    const lanes = input.next();
    const laneAt = new Uint32Array(lanes + 1);
    for (let lane = 0; lane < lanes; lane += 1) laneAt[lane + 1] = laneAt[lane] + input.next();
    const count = laneAt[lanes];
    const events = {
      row, laneAt, start: new Float64Array(count), duration: new Float64Array(count), name: new Uint32Array(count),
      id: new Uint32Array(count), flags: new Uint16Array(count),
    };
    for (let lane = 0; lane < lanes; lane += 1) decodeLane(input, events, laneAt[lane], laneAt[lane + 1]);
    yield events;
  }
}

/** @param {Varints} input @param {Events} events @param {number} from @param {number} to */
function decodeLane(input, events, from, to) {
  let start = 0;
  for (let i = from; i < to; i += 1) {
    start += input.signed();
    events.start[i] = start;
  }
  for (let i = from; i < to; i += 1) events.duration[i] = input.next();
  for (let i = from; i < to; i += 1) events.name[i] = input.next();
  let id = 0;
  for (let i = from; i < to; i += 1) {
    id += input.signed();
    events.id[i] = id;
  }
  for (let i = from; i < to; i += 1) events.flags[i] = input.next();
}
