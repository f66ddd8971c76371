// The workers: three, so that nothing waits for what takes long. The first makes pictures and nothing else, the second charts, the
// third proofs and files.

import { newWorker } from './source.js';

const helpers = {}, waiting = new Map(); // answers to single questions, by number
let compiled = null, number = 0, report = () => {};

function begun(module) {
  const made = newWorker();
  made.postMessage({ id: 0, what: 'begin', module });
  return made;
}

/** The painter compiles the module, once for all. */
export const painter = begun();

export function shareModule(module) {
  compiled = module;
}

/** Calls back with what helpers say that nobody asked for by `ask`. */
export function onReport(callback) {
  report = callback;
}

function receive(data) {
  const question = waiting.get(data.id);
  if (!question) {
    report(data);
    return;
  }
  waiting.delete(data.id);
  if (data.kind === 'error' || data.kind === 'failed') question.reject(data.error);
  else question.resolve(data);
}

function helper(name) {
  if (!helpers[name]) {
    helpers[name] = begun(compiled);
    helpers[name].onmessage = ({ data }) => receive(data);
  }
  return helpers[name];
}

/** Sends a message with a number of its own, which it returns. */
export function tell(worker, what, state, rest = {}) {
  (typeof worker === 'string' ? helper(worker) : worker).postMessage({ id: ++number, what, state: { ...state }, ...rest });
  return number;
}

/** Asks something that has one answer. */
export function ask(what, state, rest = {}, who = 'prover') {
  return new Promise((resolve, reject) => {
    waiting.set(tell(who, what, state, rest), { resolve, reject });
  });
}

/** The same with reports on the way, by a worker of its own: calls back until it is done; returns a function that stops it. */
export function follow(what, state, rest, callback) {
  const own = begun(compiled);
  own.onmessage = ({ data }) => callback(data);
  tell(own, what, state, rest);
  return () => own.terminate();
}
