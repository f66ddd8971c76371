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

const { full } = await about(), unchecked = !full;
const model = await compile('H(b -> O a)', { alphabet: 'abc' });
same('accept', model.run('caab', { unchecked }).accept, true);
same('truth', model.run('cba', { unchecked }).truth, [1, 0, 0]);
same('proved', model.run('caab', { unchecked }).proved, full);
const attention = model.attention('caab', { unchecked });
same('size', attention.size, 5);
same('a weight', attention.heads[0].weights[4 * 5 + 2], 0.49994968566938786);
same('the hard choice', model.attention('caab', { unchecked: true, hard: true }).heads[0].weights[4 * 5 + 2], 0.5);
same('what may come after ca', model.next('ca', { unchecked }).letters, ['a', 'b', 'c']);
same('the end after b', model.next('b', { unchecked }).end, false);
same('a regular expression', (await compile('(ab|c)*', { syntax: 'regex', alphabet: 'abc' })).next('a', { unchecked }).letters, ['b']);
same('another scale', (await compile('O a', { alphabet: 'ab', scale: '0.1x' })).run('ab', { unchecked: true }).proved, false);
if (full) {
  const found = model.certify(1000, 'f32');
  same('certificate', [found.verdict, JSON.parse(found.certificate) !== null], ['proved', true]);
  same('proved length', model.proof('f32').length, 2410413);
} else
  try {
    model.certify(10);
    same('certify without exact arithmetic', 'an answer', 'an error');
  } catch (error) {
    same('certify without exact arithmetic', /proves nothing/.test(error.message), true);
  }
try {
  await compile('H(b -> O )', { alphabet: 'abc' });
  same('a mistake', 'compiled', 'refused');
} catch (error) {
  same('a mistake', [error instanceof TemperError, error.status, error.line, error.column], [true, 'syntax', 1, 10]);
}
model.free();

export const result = { passed, failed, lines };
globalThis.packageResult = result;
