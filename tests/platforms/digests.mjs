// What of tests/platforms/table the playground's engine can compute, by WebAssembly, against the table. usage: node digests.mjs SITE TABLE
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [site, table] = process.argv.slice(2);
const { Engine } = await import(pathToFileURL(`${site}/engine/temper.js`).href);
const engine = await Engine.open(new WebAssembly.Module(readFileSync(`${site}/temper.wasm`)));

// The cases, the strings and the order of numbers are those of digests.c.
const STRINGS = 8, LONGEST = 40, LETTERS = 'abc', CLAIMS = ['none', 'formula', 'hard choices', 'formula if viable is right'];
const FORMULAS = [
  ['since', 'a S b'],
  ['mixed', 'H(b -> O a) & (a U c | Y b)'],
  ['counts', '2*#[a] - 3*#[b] + 1 >= #[c] | #>[a] = #[b]'],
  ['parity', '#[a] % 3 = 1'],
  ['place', 'a @ #[b]'],
  ['words', '(ab|c)*a{0,2}', 'regex'],
  ['program', 'A = # "a"\nB = # "b"\nV = A < B\nC = # V\nC == 0 && A == B', 'crasp'],
];
const TYPES = ['f64', 'f32', 'bf16/f32', 'f16', 'e4m3/f32'];

function draw(which) {
  const word = 2n ** 64n;
  let state = (BigInt(which) * 0x9e3779b97f4a7c15n + 1n) % word, text = '';
  for (let i = 0; i < Math.floor((which * LONGEST) / (STRINGS - 1)); i++) {
    state = (state * 6364136223846793005n + 1442695040888963407n) % word;
    text += LETTERS[Number((state >> 33n) % 3n)];
  }
  return text;
}

const bytesOf = doubles => { // little-endian, whatever the machine
  const view = new DataView(new ArrayBuffer(8 * doubles.length));
  doubles.forEach((x, k) => view.setFloat64(8 * k, x, true));
  return new Uint8Array(view.buffer);
};
const found = new Map();
const say = (name, part, hash) => found.set(`${name}\t${part}`, hash.digest('hex').slice(0, 16));
const sayText = (name, part, text) => say(name, part, createHash('sha256').update(text));

function runs(name, model, type, hard) {
  const [answers, numbers, margins] = [0, 1, 2].map(() => createHash('sha256'));
  const about = model.about();
  for (let k = 0; k < STRINGS; k++) {
    const letters = model.encode(draw(k));
    for (const capture of [false, true]) {
      let run;
      try {
        run = model.run(letters, { type, hard, capture, unchecked: true });
      } catch (error) {
        answers.update(error.message);
        continue;
      }
      const told = run.about();
      answers.update(new Uint8Array([told.accept ? 1 : 0, told.proved ? 1 : 0, CLAIMS.indexOf(told.claim)]));
      answers.update(run.output(0));
      margins.update(bytesOf(told.errors));
      for (let l = 1; capture && l <= about.layers; l++) {
        for (const { head } of about.heads.filter(h => h.layer === l))
          for (const what of ['weights', 'scores', 'logits']) {
            const array = run.head(l, head, what);
            if (array) numbers.update(bytesOf(array));
          }
        for (let i = 0; i < told.size; i++) numbers.update(bytesOf(run.channels(l, i)));
      }
      run.free();
    }
  }
  say(name, 'answers', answers);
  say(name, 'numbers', numbers);
  say(name, 'margins', margins);
}

FORMULAS.forEach(([name, text, syntax = 'spec'], k) => {
  const spec = engine.spec(text, { syntax, alphabet: LETTERS, at: 'last' });
  for (const method of ['hard', 'temperature', 'positions', 'digits']) {
    const model = spec.build({ method });
    sayText(`${name}/${method}`, 'model', model.print());
    for (const type of method === 'hard' ? ['f64'] : k === 0 ? TYPES : TYPES.slice(0, 2)) {
      runs(`${name}/${method}/${type}`, model, type, method === 'hard');
      if (method === 'hard') continue;
      const proof = model.certify(60, type);
      if (proof.certificate) sayText(`${name}/${method}/${type}`, 'certificate', proof.certificate);
      else sayText(`${name}/${method}/${type}`, 'no-proof', proof.reason);
    }
    model.free();
  }
  spec.free();
});

let equal = 0, other = 0;
for (const line of readFileSync(table, 'utf8').trim().split('\n')) {
  const [name, part, digest] = line.split('\t'), mine = found.get(`${name}\t${part}`);
  if (mine === undefined) continue;
  if (mine === digest) equal++;
  else if (++other < 20) console.log(`< ${line}\n> ${name}\t${part}\t${mine}`);
  found.delete(`${name}\t${part}`);
}
for (const key of found.keys()) other++, console.log(`not in the table: ${key}`);
console.log(`platforms: WebAssembly: ${equal} digests are equal, ${other} differ`);
process.exit(other || !equal ? 1 : 0);
