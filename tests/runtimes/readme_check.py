"""The code of README.md in ordinary folders, as it stands there, run in the folder: what it prints after each prefix is what
testvectors.jsonl has. usage: readme_check.py NODE_MODULES FOLDER..."""
import json
import os
import re
import subprocess
import sys

passed = failed = 0


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("WRONG", what)


def blocks_of(text):
    return re.findall(r"^```(python|js)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def run(folder, language, code):
    path = os.path.join(folder, "block.py" if language == "python" else "block.mjs")
    with open(path, "w", encoding="utf-8") as out:
        out.write(code)
    command = [sys.executable, "-W", "ignore"] if language == "python" else ["node"]
    done = subprocess.run(command + [os.path.basename(path)], capture_output=True, text=True, cwd=folder)
    os.remove(path)
    check(done.returncode == 0, f"{folder}, {language}: {done.stderr[-1500:]}\n{code}")
    return done.stdout


def check_folder(folder):
    with open(os.path.join(folder, "README.md"), encoding="utf-8") as file:
        blocks = blocks_of(file.read())
    with open(os.path.join(folder, "testvectors.jsonl"), encoding="utf-8") as file:
        vectors = {v["string"]: v for v in map(json.loads, file)}
    check(len(blocks) == (3 if os.path.exists(os.path.join(folder, "config.json")) else 1), f"{folder}: {len(blocks)} blocks")
    for language, code in blocks:
        (string,) = re.findall(r'(?:tokenize|tokenizer)\(("(?:[^"\\]|\\.)*")', code)
        vector = vectors[json.loads(string)]
        printed = run(folder, language, code)
        if "end" in vector:
            answers = re.findall(r"\b(?:true|false)\b", printed.lower().split("]")[0])
            check(answers == ["true" if x else "false" for x in vector["end"]], f"{folder}, {language}: {printed}")
        elif language == "js":  # the first number is about the empty prefix, and means nothing
            check([int(x) for x in re.findall(r"\d+", printed)][1:] == vector["written"], f"{folder}, {language}: {printed}")
        else:
            check(printed.strip() != "", f"{folder}, {language}: nothing printed")


modules, folders = sys.argv[1], sys.argv[2:]
link = os.path.join(os.path.dirname(os.path.abspath(folders[0])), "..", "node_modules")
if not os.path.lexists(link):
    os.symlink(os.path.abspath(modules), link)
for each in folders:
    check_folder(each)
print(f"readme_check: {passed} passed, {failed} failed")
sys.exit(failed > 0)
