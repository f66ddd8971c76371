/** A number format such as 'f64', 'f32' or 'bf16/f32'; about() lists them. */
export type NumberType = string;

export interface CompileOptions {
  syntax?: 'spec' | 'crasp' | 'brasp' | 'regex' | 'dfa';
  /** The letters, such as 'abc'; with tokens 'req ack'. */
  alphabet?: string;
  tokens?: boolean;
  at?: '' | 'first' | 'last';
  empty?: '' | 'reject' | 'accept';
  method?: 'hard' | 'temperature' | 'positions' | 'digits';
  /** Another softmax scale: an expression such as '8*N', or a factor such as '0.2x'. Nothing is claimed of it. */
  scale?: string;
}

export interface RunOptions {
  type?: NumberType;
  /** Use each head's hard choice. */
  hard?: boolean;
  /** Go beyond the proved length. */
  unchecked?: boolean;
}

export interface RunResult {
  accept: boolean;
  proved: boolean;
  claim: string;
  /** The largest error of each head before rounding; -1: it is not Boolean. */
  errors: number[];
  /** 0 or 1 at each position. */
  truth: number[];
}

export interface HeadAttention {
  layer: number;
  head: number;
  label: string;
  error: number;
  weights: Float64Array;
  scores: Float64Array;
  logits: Float64Array | null;
}

export interface AttentionResult {
  accept: boolean;
  proved: boolean;
  /** N: positions, sentinels included. */
  size: number;
  truth: number[];
  heads: HeadAttention[];
}

export interface Proof {
  claim: string;
  /** The proved length; -1: none. */
  length: number;
  everyPosition: number;
  obstacle: string;
}

export interface Certificate {
  verdict: 'proved' | 'refuted' | 'unable';
  claim: string;
  reason: string;
  largestError: string;
  allowed: string;
  /** JSON text; null unless proved. */
  certificate: string | null;
}

export interface ModelAbout {
  method: string;
  layers: number;
  width: number;
  hidden: number;
  parameters: number;
  letters: string[];
  outputs: string[];
  heads: { layer: number; head: number; label: string; role: string; mask: string; scale: string; bound: number }[];
  parts: { formula: string; layer: number; head: number; channel: number }[];
  channels: { label: string; position: string }[];
}

export interface Transformer {
  readonly about: ModelAbout;
  /** The specification as an English sentence: 'so far, at every b there has been an a'. */
  readonly words: string;
  print(): string;
  proof(type?: NumberType): Proof;
  run(string: string, options?: RunOptions): RunResult;
  attention(string: string, options?: RunOptions): AttentionResult;
  certify(length: number, type?: NumberType): Certificate;
  next(prefix: string, options?: RunOptions): { letters: string[]; end: boolean; proved: boolean };
  free(): void;
}

export class TemperError extends Error {
  status: string;
  line: number;
  column: number;
  hint: string;
  /** What may help, as a temper_remedy of temper.h; 0: none. */
  remedy: number;
}

export function about(): Promise<{ version: string; types: NumberType[] }>;
export function compile(text: string, options?: CompileOptions): Promise<Transformer>;
