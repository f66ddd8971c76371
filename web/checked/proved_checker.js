// The proved checker (doc/checker.md): what Coq proved and js_of_ocaml compiled.

import { temperProvedChecker } from './checker.js';

/** {length, why} for the bytes of a model: the largest length that it accepts, or -1. */
export const provedChecker = (bytes, type, milliseconds) => {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return temperProvedChecker(text, type, milliseconds);
};
