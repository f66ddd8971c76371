// The types of the npm package, checked by tsc against what package_checks.mjs calls. Nothing here is run.
import { TemperError, about, compile } from 'temper-softmax';
import type { AttentionResult, Certificate, CompileOptions, Proof, RunResult, Transformer } from 'temper-softmax';

const options: CompileOptions = { syntax: 'regex', alphabet: 'abc', method: 'digits', scale: '0.5x' };

export async function use(): Promise<string> {
  const { version, types } = await about();
  const model: Transformer = await compile('(ab|c)*', options);
  const answer: RunResult = model.run('abc', { type: 'bf16/f32', hard: false, unchecked: true });
  const attention: AttentionResult = model.attention('abc');
  const weights: Float64Array = attention.heads[0].weights;
  const logits: Float64Array | null = attention.heads[0].logits;
  const proof: Proof = model.proof('f32');
  const certificate: Certificate = model.certify(100, 'f32');
  const next: { letters: string[]; end: boolean; proved: boolean } = model.next('a');
  const parts: string[] = model.about.parts.map(p => `${p.formula} in layer ${p.layer}, channel ${p.channel}`);
  const heads: number[] = model.about.heads.map(h => h.bound);
  model.free();
  try {
    await compile('O', { alphabet: 'ab' });
  } catch (error) {
    if (error instanceof TemperError) return `${error.status} ${error.line + error.column} ${error.hint} ${error.remedy}`;
  }
  return JSON.stringify([version, model.words, types, answer.accept, answer.truth[0] + 1, weights.length, logits, proof.length, certificate.certificate, next.letters, parts, heads]);
}

// @ts-expect-error: there is no such method
compile('O a', { method: 'magic' });
// @ts-expect-error: the length is a number
compile('O a').then(model => model.certify('100'));
// @ts-expect-error: what is read is not written
compile('O a').then(model => { model.about = null; });
