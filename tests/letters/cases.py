"""Models of every group of table.txt, exported, with strings and what `temper run` says of them; check.py and check.mjs ask the
clients. An export may be refused if the message names a letter of the group and what to write instead: then it goes on without
that letter.

usage: cases.py TEMPER WORK folder|ordinary [SHARE]: every SHARE-th group

WORK/NAME has model.spec, strings.json and model, the exported folder. strings.json is {"ordinary": bool, "cases": [{"string": ...,
"accept": true, false, or null where temper run refuses the string, "ids": letter numbers, null where temper run refuses the string, "unknown": whether a
letter is none}]}."""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import unicodedata

HERE = os.path.dirname(os.path.abspath(__file__))
BLANKS = " \t\n\r\v\f"
NAMES = ["<s>", "</s>", "<dead>", "<start>", "<end>", "<unknown>"]
MOST_STRINGS = 70
LENGTH = 40  # letters that a string has at most
# Once a word that is no letter was cut into characters, some of them letters, or at a blank of Unicode; and a text was cut at the
# name of a special token. Each: the alphabet, the other letter or "", the formula, strings.
FOUND = [
    ("request grant other", "other", "#[other] <= 1", ["request boot grant", "boot boot", "boot", "request grant", "<start>", "a<s>b"]),
    ("a b other", "other", "H(b -> O a)", ["ba", "ab", "b a", "a b", "ba b", "b", "<s> b", "<dead> b"]),
    ("a b", "", "H(b -> O a)", ["ab", "ba", "a b", "a ab b", "a ab", "a <dead> b", "a<s>", "<s> a", "a </s>", "a </s> a"]),
    ("x\u00a0y x y other", "other", "#[other] <= 1 & #[x] <= 1", ["x\u00a0y", "x y x\u00a0y", "x\u3000y", "x\x0by", "x\u2028y x"]),
]


def read_table():
    groups = []
    with open(os.path.join(HERE, "table.txt"), encoding="utf-8") as file:
        for line in map(str.strip, file):
            if line.startswith(("words ", "letters ")):
                kind, name = line.split(" ", 1)
                groups.append({"name": name, "words": kind == "words", "letters": [], "unknown": []})
            elif line.startswith("? "):
                groups[-1]["unknown"].append(json.loads(line[2:]))
            elif line and not line.startswith("#"):
                groups[-1]["letters"].append(json.loads(line))
    return groups


def quoted(letter):
    return "'" + "".join(c if c.isascii() and c.isalnum() else f"\\u{{{ord(c):x}}}" for c in letter) + "'"


def found_group(words, other, formula, strings):
    letters = words.split(" ")
    lines = ["tokens yes", "alphabet " + " ".join(map(quoted, letters))] + ["other " + other] * bool(other) + [formula]
    return {"name": formula, "words": True, "letters": letters, "other": other or None, "source": "\n".join(lines) + "\n", "strings": strings}


def specification(words, letters, other):
    """The last letter is one of every second, and one letter comes at most once: letters that are taken for others, lost, or read
    twice change the answer."""
    once = other if other is not None else letters[0]
    lines = ["tokens yes"] * words + ["alphabet " + " ".join(map(quoted, letters))]
    lines += ["other " + quoted(once)] * (other is not None)
    lines += [f"({' | '.join(map(quoted, letters[::2]))}) & #[{quoted(once)}] <= 1"]
    return "\n".join(lines) + "\n"


# ---- strings ----


def forms_of(letter):
    """Texts that a client may take for the letter, or cut into letters."""
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        yield unicodedata.normalize(form, letter)
    yield from (letter.upper(), letter.lower(), letter.swapcase(), letter[:-1], letter[1:], letter + letter, letter + "x", "_" + letter)


def strings_of(group, letters, names, rng):
    """Letters alone, then strings of letters and of what is none, and blanks of all kinds between words."""
    words = group["words"]
    unknown = [u for u in [*group["unknown"], *names] if u not in letters]
    if words:
        unknown += ["".join(pair) for pair in zip(letters, letters[1:])] + [x for letter in letters for x in forms_of(letter)]
        unknown += [letters[0] + blank + letters[-1] for blank in "\xa0\u3000\x85\u2028\u1680\x1c\x1f\u200b\ufeff"]
    else:
        unknown += ["".join(form) for letter in letters for form in zip(forms_of(letter)) if len("".join(form)) < 4]
    unknown = [u for u in dict.fromkeys(unknown) if u and not set(u) & set("\0")]
    others = []

    def join(parts):
        return "".join(rng.choice(BLANKS) + rng.choice(["", "", " "]) + part for part in parts) if words else "".join(parts)

    for u in unknown:
        x, y = rng.choice(letters), rng.choice(letters)
        others += [u, join([x, u, y]), join([u, y]), join([x, u]), join([u, u])]
    for _ in range(3 * len(letters)):
        others.append(join(rng.choices(letters, k=rng.randint(0, 6)) + rng.choices(unknown, k=rng.randint(0, 1))))
    plain = [join(pair) for pair in zip(letters, [*letters[1:], letters[0]])]
    chosen = rng.sample(others, min(len(others), MOST_STRINGS)) + rng.sample(plain, min(len(plain), MOST_STRINGS // 3))
    return [s for s in dict.fromkeys(["", *letters, *chosen]) if len(pieces(words, s)) <= LENGTH]


def pieces(words, string):
    return [w for w in re.split("[ \t\n\r\v\f]", string) if w] if words else list(string)


def ids_of(words, letters, other, string):
    found = [letters.index(p) if p in letters else None if other is None else letters.index(other) for p in pieces(words, string)]
    return None if None in found else found


# ---- exports ----


class Exporter:
    def __init__(self, temper, work, ordinary):
        self.temper, self.work, self.ordinary = temper, work, ordinary
        self.wrong = self.made = self.strings = 0
        self.refused = {}

    def fail(self, message):
        self.wrong += 1
        print("WRONG", message)

    def run(self, *arguments):
        return subprocess.run([self.temper, *arguments], capture_output=True, text=True, encoding="utf-8",
                              env={**os.environ, "NO_COLOR": "1"})

    def export(self, path, group, has_other, number):
        """The letters that the model has, and the other one."""
        letters = list(group["letters"])
        while letters:
            other = group.get("other", letters[len(letters) // 2] if has_other else None)
            os.makedirs(path)
            with open(os.path.join(path, "model.spec"), "w", encoding="utf-8") as file:
                file.write(group.get("source") or specification(group["words"], letters, other))
            options = ["--as", ("gpt2", "llama")[number % 2], "--length", str(LENGTH)] if self.ordinary else []
            done = self.run("export", "-q", "-F", os.path.join(path, "model.spec"), *options, "-o", os.path.join(path, "model"))
            if done.returncode == 0:
                return letters, other
            lost = self.lost_letter(letters, done.stderr)
            if lost is None or "hint: " not in done.stderr or os.path.exists(os.path.join(path, "model")):
                self.fail(f"{path}: a refusal without a letter, or after something was written: {done.stderr}")
                break
            self.refused[lost] = done.stderr.splitlines()[0]
            letters.remove(lost)
            shutil.rmtree(path)
        return [], None

    @staticmethod
    def lost_letter(letters, message):
        """The letter that the message names, between quotes and escaped as messages are."""
        for letter in sorted(letters, key=len, reverse=True):
            if f"'{shown(letter)}'" in message:
                return letter
        return None

    def make(self, group, variant, number):
        path = os.path.join(self.work, f"{number:03}-{variant}")
        letters, other = self.export(path, group, variant == "other", number)
        if not letters:
            return
        with open(os.path.join(path, "model", "tokenizer_config.json"), encoding="utf-8") as file:
            names = [v for k, v in json.load(file).items() if k.endswith("_token") and isinstance(v, str)]
        strings = group.get("strings") or strings_of(group, letters, [*NAMES, *names], random.Random(number))
        done = self.run("run", "-F", os.path.join(path, "model.spec"), "--json", "--", *strings)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        if len(answers) != len(strings):
            self.fail(f"{path}: {len(answers)} answers to {len(strings)} strings: {done.stderr}")
            return
        cases = []
        for string, answer in zip(strings, answers):
            ids = ids_of(group["words"], letters, other, string)
            if answer["string"] != string or ("error" in answer) != (ids is None):
                self.fail(f"{path}: temper run says {answer} of {string!r}, whose letters are {ids}")
            unknown = any(p not in letters for p in pieces(group["words"], string))
            cases.append({"string": string, "accept": answer.get("accept"), "ids": ids, "unknown": unknown})
        if self.ordinary:
            audit = self.run("audit", os.path.join(path, "model", "certificate.json"), os.path.join(path, "model"))
            if audit.returncode:
                self.fail(f"{path}: the audit says {audit.stderr}")
        with open(os.path.join(path, "strings.json"), "w", encoding="utf-8") as file:
            json.dump({"ordinary": self.ordinary, "name": group["name"], "cases": cases}, file)
        self.made, self.strings = self.made + 1, self.strings + len(cases)


def shown(letter):
    """As src/base/text.c, text_escaped, shows it, up to 40 characters."""
    hidden = [(0, 31), (127, 159), (0x200b, 0x200f), (0x2028, 0x202e), (0x2060, 0x206f), (0xfeff, 0xfeff), (0xad, 0xad),
              (0x61c, 0x61c), (0xfff9, 0xfffb), (0xe0000, 0xe007f)]
    out = ""
    for c in letter[:40]:
        if not any(low <= ord(c) <= high for low, high in hidden):
            out += c
        else:
            out += {"\n": "\\n", "\t": "\\t"}.get(c) or (f"\\x{ord(c):02X}" if ord(c) < 128 else f"\\u{{{ord(c):X}}}")
    return out + ("..." if len(letter) > 40 else "")


def main(temper, work, kind, share="1"):
    groups = read_table()
    count = sum(len(g["letters"]) for g in groups)
    shutil.rmtree(work, ignore_errors=True)
    exporter = Exporter(os.path.abspath(temper), work, kind == "ordinary")
    if count < 300:
        exporter.fail(f"the table has {count} letters")
    for number, group in enumerate(groups):
        if number % int(share) == 0:
            for variant in ("plain", "other"):
                exporter.make(group, variant, number)
    for number, found in enumerate(FOUND):
        exporter.make(found_group(*found), "found", len(groups) + number)
    for letter, message in exporter.refused.items():
        print(f"refused: {letter!r}: {message}")
    print(f"letters, {kind}: {exporter.made} models of {count} letters, {len(exporter.refused)} letters refused, {exporter.strings} strings: "
          f"{exporter.made} passed, {exporter.wrong} failed")
    return exporter.wrong > 0 or exporter.made == 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
