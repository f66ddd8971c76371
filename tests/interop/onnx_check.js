// Exported graphs in onnxruntime against what make_cases wrote down: accept, truth at every position, f64 and f32.
// usage: node onnx_check.js NODE_FOLDER CASES
'use strict';
const fs = require('fs');
const path = require('path');

const [nodeFolder, casesFolder] = process.argv.slice(2);
const ort = require(path.join(path.resolve(nodeFolder), 'node_modules', 'onnxruntime-node'));

let passed = 0;
let failed = 0;
const difference = {f64: 0, f32: 0};
const pattern = {f64: 0, f32: 0};
const where = {f64: '', f32: ''};
const strings = {f64: 0, f32: 0};

function check(ok, message) {
  if (ok) {
    passed++;
    return;
  }
  if (++failed <= 20) console.log('FAILED:', message);
}

function read(folder, group, end, Type) {
  const bytes = fs.readFileSync(path.join(folder, `${group}.${end}`));
  return new Type(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

function same(ours, theirs) {
  return ours.length === theirs.length && theirs.every((x, k) => ours[k] === x);
}

// The largest difference; NaN if there is one.
function distance(ours, theirs) {
  let most = 0;
  for (let k = 0; k < theirs.length; k++) {
    const d = Math.abs(ours[k] - theirs[k]);
    if (!(d <= most)) most = d;
  }
  return most;
}

function comparePatterns(results, item, folder, number, group, kind, name) {
  const all = read(folder, number, 'pattern', Float64Array);
  let at = 0;
  item.heads.forEach((heads, layer) => {
    const size = group.batch * heads * group.size * group.size;
    const theirs = all.subarray(at, at + size);
    at += size;
    if (!size) return;
    const ours = results[`blocks.${layer}.attn.hook_pattern`];
    check(same(ours.dims, [group.batch, heads, group.size, group.size]), `${name}: shape of a pattern`);
    const d = distance(ours.data, theirs);
    check(d < 0.01, `${name}: a pattern differs by ${d}`);
    pattern[kind] = Math.max(pattern[kind], d);
  });
}

function compareInside(results, item, folder, number, group, kind, name) {
  const z = read(folder, number, 'z', Float64Array);
  let at = 0;
  item.heads.forEach((heads, layer) => {
    const size = group.batch * group.size * heads * item.d_head;
    const theirs = z.subarray(at, at + size);
    at += size;
    if (!size) return;
    const d = distance(results[`blocks.${layer}.attn.hook_z`].data, theirs);
    check(d < 0.25, `${name}: a head is ${d} away from temper's`);
    if (d > difference[kind]) [difference[kind], where[kind]] = [d, name];
  });
  if (!item.exact_embedding || (item.kind === 'by hand' && kind === 'f32')) return;
  const embed = read(folder, number, 'embed', Float64Array);
  check(same(results.hook_embed.data, kind === 'f64' ? embed : Float32Array.from(embed)),
      `${name}: the embedding has other bits`);
}

async function compare(session, item, folder, number, group, kind) {
  const name = `${item.name} (${item.kind}), n = ${group.n}, ${kind}`;
  const shape = [group.batch, group.size];
  const tokens = new ort.Tensor('int64', read(folder, number, 'tokens', BigInt64Array), shape);
  const results = await session.run({input_ids: tokens});
  strings[kind] += group.batch;
  const truth = read(folder, number, 'truth', Uint8Array);
  if (item.outputs) {
    const {outputs} = results;
    check(same(outputs.data, truth), `${name}: outputs`);
    check(outputs.type === 'float32' && same(outputs.dims, [...shape, item.outputs]), `${name}: type and shape of outputs`);
  } else {
    check(same(results.truth.data, truth), `${name}: truth`);
    check(same(results.accept.data, read(folder, number, 'accept', Uint8Array)), `${name}: accept`);
    check(results.truth.type === 'float32' && same(results.truth.dims, shape), `${name}: type and shape of truth`);
    check(results.accept.type === 'float32' && same(results.accept.dims, [group.batch]), `${name}: type and shape of accept`);
  }
  if (item.patterns && group.short) comparePatterns(results, item, folder, number, group, kind, name);
  if (group.inside) compareInside(results, item, folder, number, group, kind, name);
}

(async () => {
  const start = Date.now();
  const cases = JSON.parse(fs.readFileSync(path.join(casesFolder, 'cases.json'), 'utf8'));
  let far = 0;
  for (const item of cases) {
    const folder = path.join(casesFolder, item.folder);
    for (const [kind, file] of [['f64', 'onnx/model.onnx'], ['f32', 'f32.onnx']]) {
      if (kind === 'f32' && !item.f32) continue;
      const session = await ort.InferenceSession.create(path.join(folder, file),
          {intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3});
      for (let number = 0; number < item.groups.length; number++) {
        const group = item.groups[number];
        if (kind === 'f32' && !group.f32) continue;
        await compare(session, item, folder, number, group, kind);
        far += group.n >= 5000;
      }
      await session.release();
    }
  }
  const version = ort.env.versions.node || ort.env.versions.common;
  console.log(`onnxruntime ${version}: ${cases.length} models, ${strings.f64} strings in f64, ${strings.f32} in f32, ` +
      `${far} batches of length 5000, ${Math.round((Date.now() - start) / 1000)} s`);
  for (const kind of ['f64', 'f32'])
    console.log(`onnxruntime: largest difference of a head's output before rounding, ${kind}: ` +
        `${difference[kind].toPrecision(3)} (${where[kind]}), of a pattern: ${pattern[kind].toPrecision(3)}`);
  check(far >= 4, 'no batches of length 5000');
  console.log(`onnx-check: ${passed} passed, ${failed} failed`);
  process.exit(failed || passed < 1000 ? 1 : 0);
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
