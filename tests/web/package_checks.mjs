// The npm package, installed from its tarball: what its README says. In Node, in a browser as it is, and bundled, so it prints nothing.
import { TemperError, about, compile } from 'temper-softmax';

let passed = 0, failed = 0;
const lines = [];
const same = (what, left, right) => {
  if (JSON.stringify(left) === JSON.stringify(right)) passed++;
  else {
    failed++;
    lines.push(`${what}: ${JSON.stringify(left)} instead of ${JSON.stringify(right)}`);
  }
};

const { types } = await about();
same('number formats', ['f64', 'f32', 'bf16/f32'].map(type => types.includes(type)), [true, true, true]);
const model = await compile('H(b -> O a)', { alphabet: 'abc' });
same('accept', model.run('caab').accept, true);
same('truth', model.run('cba').truth, [1, 0, 0]);
same('proved', model.run('caab').proved, true);
const attention = model.attention('caab');
same('size', attention.size, 5);
same('a weight', attention.heads[0].weights[4 * 5 + 2], 0.49994968566938786);
same('the hard choice', model.attention('caab', { unchecked: true, hard: true }).heads[0].weights[4 * 5 + 2], 0.5);
same('what may come after ca', model.next('ca').letters, ['a', 'b', 'c']);
same('the end after b', model.next('b').end, false);
same('a regular expression', (await compile('(ab|c)*', { syntax: 'regex', alphabet: 'abc' })).next('a').letters, ['b']);
same('another scale', (await compile('O a', { alphabet: 'ab', scale: '0.1x' })).run('ab', { unchecked: true }).proved, false);
const found = model.certify(1000, 'f32');
same('certificate', [found.verdict, JSON.parse(found.certificate) !== null], ['proved', true]);
same('proved length', model.proof('f32').length, 2410413);
same('in words', model.words, 'so far, at every b there has been an a');
try {
  await compile('H(b -> O )', { alphabet: 'abc' });
  same('a mistake', 'compiled', 'refused');
} catch (error) {
  same('a mistake', [error instanceof TemperError, error.status, error.line, error.column], [true, 'syntax', 1, 10]);
}
model.free();

export const result = { passed, failed, lines };
globalThis.packageResult = result;
