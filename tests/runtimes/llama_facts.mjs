// What doc/ordinary.md, "What is assumed of kernels", says of llama.cpp, fact by fact, in models that show one each (make_probes.c).
// usage: llama_facts.mjs MODULES FOLDER
import {createRequire} from "node:module";
import {pathToFileURL} from "node:url";
import fs from "node:fs";
import path from "node:path";

const [, , modules, folder] = process.argv;
const require = createRequire(path.join(path.resolve(modules), "package.json"));
const {getLlama} = await import(pathToFileURL(require.resolve("node-llama-cpp")).href);
const llama = await getLlama({gpu: false, build: "never", logLevel: "error", progressLogs: false, maxThreads: 1});
const probes = JSON.parse(fs.readFileSync(path.join(folder, "probes.json"), "utf8"));
const F32 = {flashAttention: false, experimentalKvCacheKeyType: "F32", experimentalKvCacheValueType: "F32"};
const PLAIN = {flashAttention: false, experimentalKvCacheKeyType: "F16", experimentalKvCacheValueType: "F16"};
const FUSED = {flashAttention: true, experimentalKvCacheKeyType: "F16", experimentalKvCacheValueType: "F16"};
const ask = {generateNext: {probabilities: true}};
const U = 2 ** -24;

let passed = 0, failed = 0;
function check(ok, what) {
    ok ? passed++ : failed++;
    if (!ok) console.log("WRONG " + what);
}
const near = (x, y, off, what) => check(Math.abs(x - y) <= off, `${what}: ${x}, not ${y}`);

// To the nearest number of f16, ties to even.
function half(x) {
    if (x === 0) return 0;
    const unit = 2 ** (Math.max(Math.floor(Math.log2(Math.abs(x))), -14) - 10), n = x / unit, low = Math.floor(n);
    return unit * (n - low > 0.5 || (n - low === 0.5 && low % 2) ? low + 1 : low);
}

// r after each token of each string.
async function run(name, strings, options, step) {
    const model = await llama.loadModel({modelPath: path.join(folder, name, "model.gguf")});
    const longest = Math.max(...strings.map((s) => s.length)) + 1;
    const context = await model.createContext({contextSize: longest + 8, batchSize: Math.min(longest + 8, 512), ...options});
    const sequence = context.getSequence(), out = [];
    for (const letters of strings) {
        const ids = [0, ...letters.map((k) => k + 2)], rows = [];
        await sequence.clearHistory();
        for (let at = 0; at < ids.length; at += step ?? ids.length)
            rows.push(...(await sequence.controlledEvaluate(ids.slice(at, at + (step ?? ids.length)).map((id) => [id, ask]))).filter(Boolean));
        out.push(rows.map((row) => row.next.probabilities));
    }
    await context.dispose();
    await model.dispose();
    return out;
}
const r = (p) => Math.log(p.get(1) / p.get(0));
const letters = (name) => probes[name].map((_, k) => [k]);

// GELU: a table of f16 below 10 in size, and x or 0 beyond.
const gelu = (x) => 0.5 * x * (1 + Math.tanh(0.79788456080286535588 * x * (1 + 0.044715 * x * x)));
let apart = 0;
for (const [k, rows] of (await run("gelu", letters("gelu"), F32)).entries()) {
    const x = probes.gelu[k], found = 2 * r(rows[1]);
    if (Math.abs(x) >= 10) near(found, x > 0 ? x : 0, 4e-6 * Math.max(1, Math.abs(x)), `GELU(${x})`);
    else near(found, half(gelu(half(x))), 6e-6, `GELU(${x}), by a table`);
    if (Math.abs(x) < 10) apart = Math.max(apart, Math.abs(found - gelu(x)));
}
check(apart > 1e-4, "GELU has no table in f16");

// SiLU: x from 17 on, and a tail below -17.
for (const [k, rows] of (await run("silu", letters("silu"), F32)).entries())
    near(16 * r(rows[1]), probes.silu[k], 1e-5, `SiLU(${probes.silu[k]})`);
for (const [k, rows] of (await run("tail", letters("tail"), F32)).entries()) {
    const x = probes.tail[k], found = r(rows[1]) / 2 ** 20;
    check(Math.abs(found) <= 1.01 * Math.abs(x) * Math.exp(x) + 2e-6 / 2 ** 20, `SiLU(${x}) is ${found}`);
}

// Values of an f16 cache are rounded to f16, and those of an f32 cache are not.
for (const [options, wide, name] of [[F32, true, "f32"], [PLAIN, false, "f16, plain"], [FUSED, false, "f16, fused"]])
    for (const [k, rows] of (await run("values", letters("values"), options)).entries()) {
        const x = probes.values[k];
        near(r(rows[1]), 4 * (wide ? x : half(x)), 1e-5, `a value of ${x} in a cache of ${name}`);
    }

// Fused attention, one token: values are added up in f16, which stops at 2,048. In a batch, or without it, they are not.
const many = 3000, ones = [Array.from({length: many}, () => 0)];
for (const [options, step, most, name] of [[FUSED, 1, 2048, "fused, token by token"], [FUSED, undefined, many, "fused, a batch"],
    [PLAIN, 1, many, "plain, token by token"], [F32, 1, many, "f32, token by token"]]) {
    const rows = (await run("values", ones, options, step))[0];
    near(r(rows[many]), 8 * most / (many + 1), 8e-3, `a sum of ${many} ones, ${name}`);
    near(r(rows[1000]), 8 * 1000 / 1001, 8e-3, `a sum of 1000 ones, ${name}`);
}

// Keys of an f16 cache are rounded: 2^14 (x - 1)/4 is the score against 0.
for (const [options, wide, name] of [[F32, true, "f32"], [PLAIN, false, "f16, plain"], [FUSED, false, "f16, fused"]])
    for (const [k, rows] of (await run("keys", letters("keys"), options)).entries()) {
        const x = probes.keys[k], score = 2 ** 12 * ((wide ? x : half(x)) - 1);
        near(r(rows[1]), 8 / (1 + Math.exp(-score)), 0.02, `a key of ${x} in a cache of ${name}`);
    }

// With f16 weights the last product rounds what it reads to f16; with f32 weights nothing is rounded.
for (const [name, wide] of [["columns-f32", true], ["columns-f16", false]])
    for (const [i, p] of (await run(name, [[0, 0, 0, 0, 0, 0]], F32))[0].entries())
        if (i) near(r(p), 4 * (wide ? 1 + i * 2 ** -13 : half(1 + i * 2 ** -13)), 2e-5, `${name}, position ${i}`);

// RMS norm as the identity. exp(-128) is 0, and exp(-80) is not.
for (const [k, rows] of (await run("norm", letters("norm"), F32)).entries()) {
    near(r(rows[1]), probes.norm[k], 3e-6, `a norm of ${probes.norm[k]}`);
    check((rows[1].get(2) ?? 0) === 0 && rows[1].get(3) > 0, "exp(-128) is not 0, or exp(-80) is");
}

// RoPE: the angle, and its sine. The last row sees its own position's wave at the start sentinel.
for (const pair of [0, 1, 3]) {
    const rows = (await run(`turn-${pair}`, [Array.from({length: 4000}, () => 0)], F32))[0];
    for (let i = 1; i < rows.length; i += 37) {
        const share = r(rows[i]) / 8, angle = i * 10000 ** (-pair / 8);
        if (share < 1e-4) continue;
        const score = Math.log(share * i / (1 - share)), allowed = angle * (3 * pair + 4) * U + 2 ** -22;
        near(score, 4 * Math.sin(angle), 4 * allowed + 1e-6 / share, `RoPE, pair ${pair}, position ${i}`);
    }
}
// Scores of a row that are the same number have the same share, wherever they stand; so have keys that tiny angles turn.
for (const name of ["shares", "shares-turned"])
    for (const [options, step, kind] of [[F32, undefined, "f32"], [F32, 1, "f32, token by token"], [PLAIN, undefined, "f16, plain"],
        [PLAIN, 1, "f16, plain, token by token"], [FUSED, undefined, "f16, fused"], [FUSED, 1, "f16, fused, token by token"]])
        for (const n of [5, 45, 131]) {
            const places = [0, 1, 2, 3, 4, 7, 8, 14, 15, 16, 31, 32, 43, 44, 63, 64, 100, 126, 130].filter((k) => k < n);
            const strings = places.map((place) => Array.from({length: n}, (_, k) => (k === place ? 1 : 0)));
            const found = (await run(name, strings, options, step)).map((rows) => r(rows[n]));
            check(found[0] > 0 && found.every((x) => x === found[0]), `${name}, ${kind}, ${n} letters: shares ${found}`);
        }

// Rows of a matrix with the same weights but for a power of two give the same numbers but for it: r is 2^15 times their difference.
for (const name of ["alike-f32", "alike-f16"])
    for (const [options, step] of [[F32, undefined], [F32, 1]])
        for (const rows of await run(name, [[0, 1, 2, 3, 4], [20, 39, 11]], options, step))
            for (const p of rows.slice(1)) check(r(p) === 0, `${name}: rows differ by ${r(p) / 2 ** 15}`);

console.log(`llama_facts: ${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
