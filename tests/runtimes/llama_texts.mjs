// Text in llama.cpp, through files of `temper export --as`: unknown characters and words, blanks of all kinds, words that llama.cpp takes
// for control tokens elsewhere. Every string has the verdict of `temper run`, whether or not llama.cpp looks for names of control tokens in
// it; a string that temper run refuses is never accepted, and leaves <dead> as all that may come. Letters come back as their texts, and none
// ends a generation.
// usage: llama_texts.mjs MODULES TEMPER FOLDER
import {createRequire} from "node:module";
import {pathToFileURL} from "node:url";
import {spawnSync} from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const [, , modules, temper, folder] = process.argv;
const require = createRequire(path.join(path.resolve(modules), "package.json"));
const {getLlama} = await import(pathToFileURL(require.resolve("node-llama-cpp")).href);
const llama = await getLlama({gpu: false, build: "never", logLevel: "error", progressLogs: false, maxThreads: 1});

// llama.cpp's own list of control texts, but for those that no file can carry.
const control = ["</s>", "phi-3", "<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<end_of_turn>", "<|end|>", "_<EOT>", "<eos>", "<|fim_prefix|>",
    "<|fim_middle|>", "<|fim_suffix|>", "<|fim_pad|>", "<|fim_repo|>", "<|repo_name|>", "<|file_sep|>", "<|return|>", "<|call|>", "<|calls|>",
    "<|flush|>", "<|eom_id|>", "[PAD]", "[EOS]", "[EOT]", "<|end_of_text|>", "<end_of_utterance>", "<turn|>", "<|tool_response>", "[e~[",
    "<fim-prefix>", "<fim_suffix>", "<REPO>", "<reponame>", "<|start|>", "<|channel|>", "<|message|>", "<|constrain|>", "<s>", "<dead>",
    "<unk>", "<mask>", "[MASK]", "<0x41>"];
const list = (words) => words.map((w) => JSON.stringify(w)).join(" ");
const odd = ["Ġ", "Ċ", " ", "\n", "é", "ſ", "日", "😀", "#", "\u00a0", "\u0301", "\u200d", "'", "\\"];
const quote = (c) => `'\\u{${c.codePointAt(0).toString(16)}}'`;

const cases = [
    {name: "letters", spec: "alphabet a b\nH(b -> O a)\n", strings: ["", "a", "ab", "ba", "a?", "a?a", "?", "?a", "aé", "ab日", "a b", " a", "a ",
        "a\nb", "a\tb", "a▁", "▁a", "a\u00a0b", "<s>a", "a<s>", "a</s>", "a</s>b", "<dead>", "a<dead>a", "aĠ", "a\ufffd", "a😀b", "abab???abab"]},
    {name: "words", spec: "tokens yes\nalphabet request grant\nH(grant -> O request)\n", strings: ["", "request grant", "request  grant",
        " request grant ", "request\tgrant", "request\r\ngrant\n", "request\vgrant", "request\fgrant", "request\u00a0grant", "requestgrant",
        "request boot grant", "boot", "request grant▁", "request▁grant", "▁request", "grant request", "req uest", "Request", "request <s> grant",
        "request </s> grant", "request</s>", "<dead>", "request\u3000grant", "request\u2028grant", "requestt", "rrequest", "request é"]},
    {name: "prefixes", spec: "tokens yes\nalphabet a b ab\nH(b -> O a)\n",
        strings: ["a b", "ab", "ab b", "aab", "a ab", "b", "ba", "a ba", "abb", "abab", "ab ab"]},
    {name: "other word", spec: "tokens yes\nalphabet request grant other\nother other\n#[other] <= 1\n", strings: ["request boot grant",
        "boot boat", "boot", "other", "other boot", "request", "re", "req req", "requests", "boot\tboat", "a▁b", "▁", "é", "é é", "日本 x"]},
    {name: "other letter", spec: "alphabet a é 日 😀 o\nother o\n#[o] <= 1 & #[a] >= 1\n", strings: ["aé", "aéè", "aéèè", "a日旦", "a日旦旦",
        "a😀😁", "a😀😁😁", "a日日日", "aæ", "aæè", "a▁", "a▁▁", "a ", "a  ", "a𐍈", "a𐍈𐍈", "a<", "a</s>"]},
    {name: "control words", spec: `tokens yes\nalphabet ${list(control)} a\nH("</s>" -> O a)\n`,
        strings: [control.slice(1).join(" "), `a ${control.join(" ")}`, ...control, ...control.map((w) => `a ${w}x`)]},
    {name: "odd letters", spec: `alphabet a ${odd.map(quote).join(" ")}\nH(${quote(" ")} -> O a)\n`,
        strings: [odd.join(""), "a" + odd.join(""), ...odd.map((c) => "a" + c), ..."▁_ĉe\u0300本😁\t\r`".split("").map((c) => "a" + c)]},
    {name: "writes", spec: "transduce\nalphabet 0 1\nemit \"10\" = '1' & Y '0'\nemit x otherwise\n", strings: ["01", "10", "0110", "1"], letters: 2}
];

let passed = 0, failed = 0;
function check(ok, what) {
    ok ? passed++ : failed++;
    if (!ok && failed <= 30) console.log("WRONG llama_texts " + what);
}

// null: the string is refused.
function verdict(spec, string) {
    const done = spawnSync(temper, ["run", "-F", spec, "--", string], {encoding: "utf8"});
    return done.status > 1 ? null : done.stdout.startsWith("accept");
}

for (const c of cases) {
    const spec = path.join(folder, `${c.name}.spec`), out = path.join(folder, c.name);
    fs.writeFileSync(spec, c.spec);
    const made = spawnSync(temper, ["export", "-q", "-F", spec, "--as", "llama", "--length", "64", "-o", out], {encoding: "utf8"});
    check(made.status === 0, `${c.name}: ${made.stderr}`);
    if (made.status !== 0) continue;
    const model = await llama.loadModel({modelPath: path.join(out, "model.gguf")});
    const tokens = model.fileInfo.metadata.tokenizer.ggml.tokens, dead = tokens.length - 1;
    const context = await model.createContext({contextSize: 96, batchSize: 96}), sequence = context.getSequence();
    for (const string of c.letters ? [] : c.strings) {
        const expected = verdict(spec, string);
        for (const special of [false, true]) {
            const ids = [model.tokens.bos, ...model.tokenize(string, special)], what = `${c.name}: ${JSON.stringify(string)} is ${ids}`;
            await sequence.clearHistory();
            const rows = await sequence.controlledEvaluate(ids.map((id) => [id, {generateNext: {probabilities: true}}]));
            const end = rows.at(-1).next.probabilities;
            check((end.get(model.tokens.eos) ?? 0) > 0 === Boolean(expected), `${what}: temper run says ${expected}`);
            if (expected === null) check(end.get(dead) === 1, `${what}: <dead> has ${end.get(dead)}`);
        }
    }
    for (const string of c.letters ? c.strings : []) // a transducer's written texts are not read
        check(model.tokenize(string).every((id) => id >= 2 && id < 2 + c.letters), `${c.name}: ${string} is ${model.tokenize(string)}`);
    const words = c.spec.startsWith("tokens yes");
    for (let id = 2; id < dead; id++) {
        const letter = words ? tokens[id].slice(1) : tokens[id].replace("▁", " ");
        check(model.detokenize([2, id]) === model.detokenize([2]) + (words ? " " : "") + letter, `${c.name}: ${letter} is written as ${model.detokenize([2, id])}`);
        check(!model.isEogToken(id), `${c.name}: ${letter} ends a generation`);
    }
    check(model.tokens.bos === 0 && model.tokens.eos === 1 && model.tokens.shouldPrependBosToken, `${c.name}: the start is ${model.tokens.bos}`);
    sequence.dispose();
    await context.dispose();
    await model.dispose();
}
console.log(`llama_texts: ${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
