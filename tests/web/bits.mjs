// Answers, weights, scores, logits, channels, errors, model files and certificates of WebAssembly against the native library, bit by
// bit. usage: node bits.mjs SITE NATIVE_CASES COUNT [SEED]
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [site, program, count, seed = '1'] = process.argv.slice(2);
const { Engine } = await import(pathToFileURL(`${site}/engine/temper.js`).href);
const engine = await Engine.open(new WebAssembly.Module(readFileSync(`${site}/temper.wasm`)));

const made = spawnSync(program, [count, seed], { encoding: 'utf8', maxBuffer: 1 << 30 });
if (made.status !== 0) throw new Error(`native_cases: ${made.stderr}`);

function digest(d, bytes) {
  for (let k = 0; k < bytes.length; k++) d = Math.imul(d ^ bytes[k], 16777619);
  return d >>> 0;
}
const START = 2166136261;
const bytesOf = doubles => new Uint8Array(doubles.buffer, doubles.byteOffset, doubles.byteLength);
const hex = x => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  return view.getBigUint64(0).toString(16).padStart(16, '0');
};

/** Weights, scores and logits of all heads, and every channel after every layer. */
function digestRun(model, run) {
  const about = model.about(), { size } = run.about();
  let d = START;
  for (let l = 1; l <= about.layers; l++) {
    for (const { head } of about.heads.filter(h => h.layer === l))
      for (const what of ['weights', 'scores', 'logits']) {
        const array = run.head(l, head, what);
        if (array) d = digest(d, bytesOf(array));
      }
    for (let i = 0; i < size; i++) d = digest(d, bytesOf(run.channels(l, i)));
  }
  return d;
}

let passed = 0, failed = 0;
const kinds = {};
for (const line of made.stdout.trim().split('\n')) {
  const c = JSON.parse(line);
  const problems = [], same = (what, left, right) => left !== right && problems.push(`${what}: ${left} in WebAssembly, ${right} natively`);
  const spec = engine.spec(c.formula, { alphabet: c.alphabet }), model = spec.build({ method: c.method });
  const letters = model.encode(c.string), run = model.run(letters, { type: c.type, capture: true, unchecked: true }), told = run.about();
  same('verdict', told.accept, c.accept);
  same('proved', told.proved, c.proved);
  same('truth', [...run.output(0)].join(''), c.truth);
  same('numbers', digestRun(model, run), c.numbers);
  same('model', digest(START, new TextEncoder().encode(model.print())), c.model);
  same('errors', told.errors.map(hex).join(), c.errors.join());
  if (c.claim !== undefined) {
    const proof = model.proof(c.type), certificate = model.certify(letters.count + 1, c.type).certificate;
    same('proved length', Math.max(0, proof.length), c.length);
    same('claim', proof.claim, c.claim);
    same('certificate', certificate ? digest(START, new TextEncoder().encode(certificate)) : 0, c.certificate);
    kinds.certificates = (kinds.certificates ?? 0) + (certificate ? 1 : 0);
  }
  if (c.gguf)
    c.gguf.forEach((expected, k) => {
      let found;
      try {
        const made = spec.gguf(['gpt2', 'llama'][k], 64);
        found = `${digest(START, made.bytes)} ${made.bytes.length} ${made.proved} ${made.reason}`;
        kinds['GGUF files'] = (kinds['GGUF files'] ?? 0) + 1;
        if (made.proved) kinds['of them proved'] = (kinds['of them proved'] ?? 0) + 1;
      } catch (error) {
        found = error.message;
      }
      same('GGUF', found, expected);
    });
  kinds[c.type] = (kinds[c.type] ?? 0) + 1;
  if (problems.length) {
    failed++;
    if (failed < 6) console.log(`bits: ${JSON.stringify({ formula: c.formula, string: c.string, type: c.type, method: c.method })}\n  ${problems.join('\n  ')}`);
  } else passed++;
  for (const thing of [run, letters, model, spec]) thing.free();
}
const list = spawnSync(program, ['gallery'], { encoding: 'utf8' }).stdout.trim().split('\n').map(line => JSON.parse(line));
for (const c of list) {
  let found;
  try {
    const hard = engine.galleryModel(c.name), model = engine.soften(hard, 'temperature', 32), letters = model.encode(c.string);
    const run = model.run(letters, { capture: true, unchecked: true });
    found = { name: c.name, string: c.string, accept: run.about().accept, numbers: digestRun(model, run) };
    for (const thing of [run, letters, model, hard]) thing.free();
  } catch (error) {
    found = { name: c.name, refused: error.message };
  }
  if (JSON.stringify(found) === JSON.stringify(c)) passed++;
  else {
    failed++;
    console.log(`bits: gallery: ${JSON.stringify(found)} instead of ${JSON.stringify(c)}`);
  }
}
kinds['of the gallery'] = list.length;
console.log(`bits: ${Object.entries(kinds).map(([k, n]) => `${n} ${k}`).join(', ')}`);
console.log(`bits: ${passed} passed, ${failed} failed`);
process.exit(failed || !passed ? 1 : 0);
