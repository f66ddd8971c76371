// onnxruntime behind a pipe: one JSON request a line in, one JSON answer a line out. The driver decides whose turn it is.
//   {"do":"load", "id":I, "model":FILE, "threads":K, "inputs":{name: {"file":F, "type":"float32"|"float64", "shape":[..]}
//                                                        | {"mask":"j<=i", "type":.., "shape":[n,n]}}}
//   {"do":"run", "id":I}             -> {"seconds":S}
//   {"do":"save", "id":I, "file":F}  -> one run whose first output is written as raw bytes, {"shape":[..]}
//   {"do":"memory"}                  -> {"rss":KIB, "peak":KIB}
//   {"do":"free"}                    forgets all that was loaded
'use strict';
const fs = require('fs');
const path = require('path');
const readline = require('readline');
const ort = require(path.join(process.argv[2], 'node_modules', 'onnxruntime-node'));

const arrays = {float32: Float32Array, float64: Float64Array};
const loaded = new Map(); // id -> {session, feeds}

// 0 where row i sees column j, a large negative number elsewhere.
function mask(kind, type, shape) {
  const [rows, columns] = shape;
  const data = new arrays[type](rows * columns);
  const hidden = type === 'float32' ? -1e37 : -1e300;
  const range = {
    'all': () => [0, columns],
    'j<i': (i) => [0, i],
    'j<=i': (i) => [0, i + 1],
    'j>i': (i) => [i + 1, columns],
    'j>=i': (i) => [i, columns],
  }[kind];
  for (let i = 0; i < rows; i++) {
    const [first, end] = range(i);
    data.fill(hidden, i * columns, i * columns + first);
    data.fill(hidden, i * columns + end, (i + 1) * columns);
  }
  return data;
}

function tensor(input) {
  if (input.mask) return new ort.Tensor(input.type, mask(input.mask, input.type, input.shape), input.shape);
  const bytes = fs.readFileSync(input.file);
  const data = new arrays[input.type](bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  return new ort.Tensor(input.type, data, input.shape);
}

function memory(field) {
  return Number(fs.readFileSync('/proc/self/status', 'utf8').match(new RegExp(field + ':\\s*(\\d+)'))[1]);
}

const actions = {
  async load(request) {
    const feeds = {};
    for (const [name, input] of Object.entries(request.inputs)) feeds[name] = tensor(input);
    const session = await ort.InferenceSession.create(request.model, {
      executionProviders: ['cpu'],
      intraOpNumThreads: request.threads,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      graphOptimizationLevel: 'all',
      logSeverityLevel: 3,
    });
    loaded.set(request.id, {session, feeds});
    return {};
  },
  async run(request) {
    const {session, feeds} = loaded.get(request.id);
    const start = process.hrtime.bigint();
    await session.run(feeds);
    return {seconds: Number(process.hrtime.bigint() - start) * 1e-9};
  },
  async save(request) {
    const {session, feeds} = loaded.get(request.id);
    const output = (await session.run(feeds))[session.outputNames[0]];
    fs.writeFileSync(request.file, Buffer.from(output.data.buffer, output.data.byteOffset, output.data.byteLength));
    return {shape: output.dims};
  },
  async memory() {
    return {rss: memory('VmRSS'), peak: memory('VmHWM')};
  },
  async version() {
    return {version: ort.env.versions.node || ort.env.versions.common, node: process.version};
  },
  async free() {
    for (const {session} of loaded.values()) if (session.release) await session.release();
    loaded.clear();
    if (global.gc) global.gc();
    return {};
  },
};

(async () => {
  for await (const line of readline.createInterface({input: process.stdin})) {
    const request = JSON.parse(line);
    let answer;
    try {
      answer = await actions[request.do](request);
    } catch (error) {
      answer = {error: String(error.message || error).split('\n')[0].slice(0, 300)};
    }
    process.stdout.write(JSON.stringify(answer) + '\n');
  }
})();
