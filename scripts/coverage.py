#!/usr/bin/env python3
"""make coverage: which branches of the source the tests take, by gcov.

usage: coverage.py --build BUILD [--page FILE] [--report FILE] [--jobs N] TEST...

BUILD was compiled with --coverage. Every test program runs once; then each branch of the folders below that no test took
is counted. With --page the table and a list of them are written there; with --report the table, and how many are left by reason
and by file, as a page. scripts/coverage.reasons may say why no test takes one:
a pattern of files, a part of the line of source, how many of its branches may be left at most, and the reason, separated by tabs.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import glob
import gzip
import json
import os
import subprocess
import sys
import tempfile

# name, files
PARTS = [
    ("logic", ["src/logic/*.c"]),
    ("automata", ["src/automata/*.c"]),
    ("readers of models", ["src/model/model_read.c", "src/model/metadata_read.c", "src/model/model_scan.c", "src/model/model_check.c",
                           "src/model/safetensors.c", "src/model/tensor_file.c", "src/ordinary/files/gguf_file.c", "src/model/expression.c",
                           "src/ordinary/files/ordinary_read*.c", "src/base/json_read.c"]),
    ("bound", ["src/bound/*.c"]),
    ("audit", ["src/audit/*.c", "src/audit/*/*.c"]),
]
NAMES = {"logic": "`src/logic`", "automata": "`src/automata`", "bound": "`src/bound`", "audit": "`src/audit`",
         "readers of models": "readers of models: text, safetensors, GGUF, JSON, expressions"}
REASONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "coverage.reasons")


def run_test(test):
    done = subprocess.run([test], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    last = done.stdout.decode(errors="replace").strip().split("\n")[-1]
    print(f"coverage: {last}", flush=True)


def run_tests(tests, jobs):
    """gcov locks its files, so that programs may add their counts side by side."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(run_test, tests))


def branches_of(build, source):
    """Line -> branches taken and not taken."""
    objects = os.path.join(build, os.path.dirname(source))
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(objects, os.path.basename(source)[:-2] + ".gcda")
        if not os.path.exists(name):
            return None
        subprocess.run(["gcov", "--json-format", "--branch-probabilities", os.path.abspath(name)], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        found = collections.defaultdict(list)
        for path in glob.glob(os.path.join(folder, "*.gcov.json.gz")):
            with gzip.open(path, "rt", encoding="utf-8") as f:
                for file in json.load(f)["files"]:
                    if os.path.normpath(file["file"]).endswith(source):
                        for line in file["lines"]:
                            found[line["drift_number"]] += [b["count"] > 0 for b in line["branches"]]
        return found


def read_reasons():
    reasons = []
    if os.path.exists(REASONS):
        with open(REASONS, encoding="utf-8") as f:
            for line in f:
                if line.strip() and not line.startswith("#"):
                    reasons.append(tuple(part.strip() for part in line.rstrip("\n").split("\t")))
    return reasons


def reason_for(reasons, source, line, missed):
    for file, part, most, why in reasons:
        if fnmatch.fnmatch(source, file) and part in line and missed <= int(most):
            return None if why == "none" else why
    return None


def write_report(path, rows, left):
    """The table, the branches that have a reason, by reason, and the others, by file."""
    share = lambda n, of: "%.1f %%" % (100 * n / max(of, 1))
    out = ["| part | branches | taken | taken, or there is a reason |", "| --- | --- | --- | --- |"]
    out += ["| %s | %s | %s | %s |" % (NAMES[part], f"{total:,}", share(taken, total), share(taken + explained, total))
            for part, total, taken, explained in rows]
    reasons, files = collections.Counter(), collections.Counter()
    for source, _, missed, _, _, why in left:
        if why:
            reasons[why] += missed
        else:
            files[source] += missed
    out += ["", "Branches with a reason:", "", "| branches | reason |", "| --- | --- |"]
    out += ["| %d | %s |" % (n, why) for why, n in sorted(reasons.items(), key=lambda x: (-x[1], x[0]))]
    out += ["", "Branches without one, by file (`build/coverage/left` has the lines): "
            + ", ".join("`%s` %d" % (name[4:], n) for name, n in sorted(files.items(), key=lambda x: (-x[1], x[0]))) + "."]
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(out) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--page")
    parser.add_argument("--report")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("tests", nargs="*")
    options = parser.parse_args()
    run_tests(options.tests, options.jobs)
    reasons = read_reasons()
    rows, left = [], []
    for part, patterns in PARTS:
        taken = total = explained = 0
        for source in sorted(path for pattern in patterns for path in glob.glob(pattern)):
            with open(source, encoding="utf-8") as f:
                lines = f.read().split("\n")
            for number, branches in sorted((branches_of(options.build, source) or {}).items()):
                taken += sum(branches)
                total += len(branches)
                missed = len(branches) - sum(branches)
                if missed:
                    text = lines[number - 1].strip()
                    why = reason_for(reasons, source, text, missed)
                    explained += missed if why else 0
                    left.append((source, number, missed, len(branches), text, why))
        rows.append((part, total, taken, explained))
        print(f"coverage: {part:18} {total:6} branches, {100 * taken / max(total, 1):5.1f} % taken, "
              f"{100 * (taken + explained) / max(total, 1):5.1f} % with those that have a reason", flush=True)
    if options.page:
        with open(options.page, "w", encoding="utf-8") as f:
            f.write("part\tbranches\ttaken\twith a reason\n")
            for row in rows:
                f.write("\t".join(map(str, row)) + "\n")
            f.write("\n")
            for source, number, missed, of, text, why in left:
                f.write(f"{source}:{number}\t{missed} of {of}\t{text}\t{why or ''}\n")
    if options.report:
        write_report(options.report, rows, left)
    return 0


if __name__ == "__main__":
    sys.exit(main())
