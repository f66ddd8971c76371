"""results.csv, results.md, the charts, and the tables of doc/performance.md."""
import csv
import os

import measure
from chart import line_chart


def milliseconds(seconds):
    if seconds in ("", None):
        return "–"
    ms = seconds * 1e3
    return f"{ms:,.0f}" if ms >= 1000 else f"{ms:.3g}" if ms < 100 else f"{ms:.0f}"


def times(ratio):
    if ratio is None:
        return "–"
    return f"{ratio:,.0f}×" if ratio >= 100 else f"{ratio:.2f}×" if ratio < 10 else f"{ratio:.1f}×"


def mebibytes(kib):
    return "–" if kib in ("", None) else f"{kib / 1024:,.1f}"


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def unique(values):
    return list(dict.fromkeys(values))


def write_csv(results, path):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, measure.COLUMNS)
        writer.writeheader()
        writer.writerows(results.rows)


# ---- tables ----


def is_temper(row):
    return row["who"].startswith("temper")


def against_others(results, group, key_columns, header):
    """One line per case, length and thread count: temper, everybody else, and the ratio to the fastest other."""
    rows = [r for r in results.find(group=group)]
    others = unique(r["who"] for r in rows if not is_temper(r))
    own = unique(r["who"] for r in rows if is_temper(r))
    lines = []
    for key in unique(tuple(r[c] for c in key_columns) for r in rows):
        here = {r["who"]: r for r in rows if tuple(r[c] for c in key_columns) == key}
        cells = [best_and_median(here.get(who)) for who in own + others]
        best_own = min((here[w]["best_s"] for w in own if w in here and here[w]["best_s"] != ""), default=None)
        best = min(((here[w]["best_s"], w) for w in others if w in here and here[w]["best_s"] != ""), default=None)
        ratio = best[0] / best_own if best and best_own else None
        lines.append([*key, *cells, f"**{times(ratio)}** {best[1] if best else ''}"])
    return table(header + own + others + ["fastest other / temper"], lines)


def best_and_median(row):
    if not row or row["best_s"] == "":
        return "–"
    return f"{milliseconds(row['best_s'])} ({milliseconds(row['median_s'])})"


def heads_memory(results):
    rows = [r for r in results.find(group="head", threads=1) if r["peak_kib"] != ""]
    who = unique(r["who"] for r in rows)
    lines = []
    for case, n in unique((r["case"], r["n"]) for r in rows):
        here = {r["who"]: r for r in rows if (r["case"], r["n"]) == (case, n)}
        lines.append([case, n] + [mebibytes(here[w]["peak_kib"]) if w in here else "–" for w in who])
    return table(["case", "n"] + who, lines)


def long_table(results, group):
    lines = []
    rows = results.find(group=group)
    for r in rows:
        previous = [p for p in rows if (p["case"], p["who"], p["threads"]) == (r["case"], r["who"], r["threads"])
                    and p["n"] * 10 == r["n"] and p["best_s"] != "" and r["best_s"] != ""]
        growth = f"{r['best_s'] / previous[0]['best_s']:.1f}" if previous else "–"
        per = f"{r['best_s'] / r['n'] * 1e9:.1f}" if r["best_s"] != "" else "–"
        lines.append([r["case"], r["who"], r["threads"], f"{r['n']:,}", milliseconds(r["best_s"]),
                      milliseconds(r["median_s"]), per, growth, mebibytes(r["peak_kib"]), r["note"]])
    return table(["model", "through", "threads", "n", "best ms", "median ms", "ns a letter", "time(n)/time(n/10)",
                  "peak MiB", "note"], lines)


def simple_table(results, group):
    return table(["case", "threads", "best ms", "median ms", "repeats", "peak MiB", "note"],
                 [[r["case"], r["threads"] or "–", milliseconds(r["best_s"]), milliseconds(r["median_s"]),
                   r["repeats"], mebibytes(r["peak_kib"]), r["note"]] for r in results.find(group=group)])


def proof_table(results):
    """Seconds of processor time by model and length, and the power of the length with which they grow."""
    rows = []
    for name, n in unique((r["case"], r["n"]) for r in results.find(group="proof")):
        cells = {r["who"]: r for r in results.find(group="proof", case=name, n=n)}
        rows.append([name, f"{n:,}"] + [f"{cells[who]['best_s']:.1f}, {cells[who]['note'].split()[-1]}"
                                        if who in cells and cells[who]["best_s"] != "" else "–"
                                        for who in ("soften", "certify", "audit")])
    return table(["model", "letters", "soften: s, power", "certify: s, power", "audit: s, power"], rows)


def csv_table(rows):
    return table(list(rows[0]), [list(r.values()) for r in rows]) if rows else ""


# ---- the figures to reach ----


def figures(results, kernels):
    """(work, target, reached): only what this run measured."""
    lines = []

    def add(work, target, value, unit, good):
        if value is not None:
            text = f"{value:,.2f}" if value < 100 else f"{value:,.0f}"
            lines.append([work, target, f"{text} {unit}".strip(), "yes" if good else "**no**"])

    for case in ("d=8 f32", "d=16 f32", "d=64 f32", "d=8 f64"):
        for threads in unique(r["threads"] for r in results.find(group="head", case=case)):
            ratios = {}
            for n in unique(r["n"] for r in results.find(group="head", case=case, threads=threads)):
                rows = [r for r in results.find(group="head", case=case, n=n, threads=threads) if r["best_s"] != ""]
                own = [r["best_s"] for r in rows if is_temper(r)]
                others = [(r["best_s"], r["who"]) for r in rows if not is_temper(r) and r["who"] != "plain C loop"]
                if own and others:
                    ratios[n] = (min(others)[0] / min(own), min(others)[1])
            if ratios:
                n, (ratio, who) = min(ratios.items(), key=lambda item: item[1][0])
                add(f"dense head {case}, {threads} thread{'s' if threads > 1 else ''}, against the fastest library at the least favourable length "
                    f"(n = {n:,}, {who})", "≥ 1×", ratio, "×", ratio >= 1)
    lines.extend(kernel_figures(kernels))
    dense = results.best(group="model", case="since-yesterday", n=16384, threads=1, who="onnxruntime f32")
    dense64 = results.best(group="model", case="since-yesterday", n=16384, threads=1, who="onnxruntime f64")
    own = results.best(group="model", case="since-yesterday", n=16384, threads=1, who="temper f64")
    if own:
        for label, other in (("f32", dense), ("f64", dense64)):
            if other:
                add(f"6-layer since/yesterday model, n = 16,384, 1 thread, f64, against onnxruntime {label}", "≥ 1,000×",
                    other / own, "×", other / own >= 1000)
    for name in unique(r["case"] for r in results.find(group="long")):
        a = results.best(group="long", case=name, who="temper run", n=1_000_000, threads=1)
        b = results.best(group="long", case=name, who="temper run", n=10_000_000, threads=1)
        if a and b:
            add(f"time(10⁷)/time(10⁶), {name}, `temper run`, 1 thread", "≤ 11", b / a, "", b / a <= 11)
    for name in unique(r["case"] for r in results.find(group="stream")):
        peaks = {r["n"]: r["peak_kib"] for r in results.find(group="stream", case=name) if r["best_s"] != ""}
        if len(peaks) > 1:
            ratio = peaks[max(peaks)] / peaks[min(peaks)]
            add(f"peak memory of streaming, n = {max(peaks):,} against {min(peaks):,}, {name}", "independent of n (≈ 1)",
                ratio, "", ratio < 1.15)
    for r in results.find(group="check"):
        if r["best_s"] != "":
            rate = r["n"] / r["best_s"] / 1e6
            add(f"exhaustive check, {r['case']}", "≥ 2 M nodes/s", rate, "M nodes/s", rate >= 2)
    for case in ("d=8 f32", "d=16 f32", "d=64 f32", "d=8 f64"):
        one, two = (results.best(group="head", case=case, n=4096, threads=t, who="temper") for t in (1, 2))
        if one and two:
            add(f"two threads against one, dense head {case}, n = 4096", "≥ 1.8×", one / two, "×", one / two >= 1.8)
    for case, target in (("temper --version", 2), ("compile + run of a small formula", 12)):
        rows = results.find(group="start", case=case)
        if rows:
            median = rows[0]["median_s"] * 1e3
            add(f"start-up: {case} (median)", f"≤ {target} ms", median, "ms", median <= target)
    return table(["work", "at least", "reached", "met"], lines)


def kernel_figures(kernels):
    """What only build/bench/kernels_bench measures: the share of the floor, and the scan against memcpy."""
    found = {(r["what"], r["type"], r["size"]): float(r["best"]) for r in kernels if r["threads"] == "1"}
    lines = []
    for kind, d, target in (("f32", 8, 0.85), ("f32", 16, 0.85), ("f32", 64, 0.85)):
        share = found.get(("dense-share", kind, str(d)))
        if share is not None:
            lines.append([f"dense head d={d} {kind}, n = 4096: share of the floor, multiply-adds and exps alone",
                          f"≥ {target:.0%}", f"{share:.0%}", "yes" if share >= target else "**no**"])
    ratio = found.get(("scan-ratio", "f64", "8"))
    if ratio is not None:
        lines.append(["scanned head, f64, value width 8, n = 10⁶, time a token against memcpy of 64 bytes", "≤ 1.5×", f"{ratio:.2f} ×",
                      "yes" if ratio <= 1.5 else "**no**"])
    return lines


# ---- charts ----


def head_charts(results, folder):
    names = []
    for case in unique(r["case"] for r in results.find(group="head")):
        rows = [r for r in results.find(group="head", case=case, threads=1) if r["best_s"] != ""]
        series = [(who, [(r["n"], r["best_s"]) for r in rows if r["who"] == who]) for who in unique(r["who"] for r in rows)]
        name = "head-" + case.replace("=", "").replace(" ", "-") + ".svg"
        if line_chart(os.path.join(folder, name), f"One dense causal softmax head, {case}", "one thread, best time; lower is better",
                      "length n", "time", series):
            names.append(name)
    return names


def model_charts(results, folder):
    names = []
    for case in unique(r["case"] for r in results.find(group="model")):
        rows = [r for r in results.find(group="model", case=case, threads=1) if r["best_s"] != ""]
        far = [(r["n"], r["best_s"]) for r in results.find(group="long", case=case, who="temper library", threads=1)
               if r["best_s"] != ""]
        series = []
        for who in sorted(unique(r["who"] for r in rows), key=lambda w: not w.startswith("temper f64")):
            points = dict((r["n"], r["best_s"]) for r in rows if r["who"] == who)
            if who == "temper f64":
                points = {**dict(far), **points}
            series.append((who + ("" if who.startswith("temper") else ", dense"), list(points.items())))
        name = f"model-{case}.svg".lower()
        if line_chart(os.path.join(folder, name), f"The compiled model {case}", "one thread, best time; lower is better", "length n",
                      "time", series):
            names.append(name)
    return names


def compile_chart(results, folder):
    points = [(r["n"], r["best_s"]) for r in results.find(group="compile") if r["best_s"] != ""]
    if len(points) > 1 and line_chart(os.path.join(folder, "compile.svg"), "Compile time by formula size",
                                      "start of the process to model file on disk, best time", "distinct subformulas", "time",
                                      [("temper compile", points)]):
        return ["compile.svg"]
    return []


# ---- the short form for doc/performance.md ----

START, END = "<!-- reference run: begin (bench.py --reference writes this) -->", "<!-- reference run: end -->"


def fastest(rows, prefix):
    found = min(((r["best_s"], r["who"]) for r in rows if r["who"].startswith(prefix) and r["best_s"] != ""), default=None)
    return found or (None, "")


def compact(results, group, first):
    """One line per case, length and thread count: temper, the fastest way in each library, the ratio."""
    rows = results.find(group=group)
    lines = []
    for case, n, threads in unique((r["case"], r["n"], r["threads"]) for r in rows):
        here = [r for r in rows if (r["case"], r["n"], r["threads"]) == (case, n, threads)]
        other = "JAX" if group == "head" else "llama.cpp"
        own, torch, onnx, more, plain = (fastest(here, p) for p in ("temper", "PyTorch", "onnxruntime", other, "plain"))
        others = [x[0] for x in (torch, onnx, more) if x[0]]
        ratio = min(others) / own[0] if others and own[0] else None
        cells = [f"{milliseconds(x[0])} {x[1].split(' ', 1)[1] if ' ' in x[1] else ''}".strip() for x in (own, torch, onnx, more)]
        lines.append([case, f"{n:,}", threads, *cells] + ([milliseconds(plain[0])] if group == "head" else []) + [times(ratio)])
    return table([first, "n", "threads", "temper ms", "PyTorch ms", "onnxruntime ms", "JAX ms" if group == "head" else "llama.cpp ms"]
                 + (["plain C ms"] if group == "head" else []) + ["fastest library / temper"], lines)


def reference(results, kernels, about):
    parts = ["".join(f"- {line}\n" for line in about), figures(results, kernels)]
    for group, title, make in (("head", "One dense causal softmax head", lambda: compact(results, "head", "case")),
                               ("model", "Compiled models against the same weights run densely",
                                lambda: compact(results, "model", "model")),
                               ("long", "Long strings", lambda: long_table(results, "long")),
                               ("stream", "Streaming", lambda: long_table(results, "stream")),
                               ("short", "Short strings", lambda: simple_table(results, "short")),
                               ("check", "Exhaustive check", lambda: simple_table(results, "check")),
                               ("compile", "Compile time", lambda: simple_table(results, "compile")),
                               ("start", "Start-up", lambda: simple_table(results, "start"))):
        if results.find(group=group):
            parts += [f"### {title}\n", make()]
    return "\n".join(parts)


def write_reference(results, kernels, about, path):
    """Replaces what stands between the two marks in the document."""
    with open(path) as file:
        text = file.read()
    before, rest = text.split(START)
    after = rest.split(END)[1]
    with open(path, "w") as file:
        file.write(f"{before}{START}\n\n{reference(results, kernels, about)}\n{END}{after}")


# ---- everything ----


def write(results, kernels, about, folder):
    charts = head_charts(results, folder) + model_charts(results, folder) + compile_chart(results, folder)
    parts = ["# Benchmark results\n", "".join(f"- {line}\n" for line in about)]
    parts += ["## Figures to reach\n", figures(results, kernels)]
    if results.find(group="head"):
        parts += ["## One dense causal softmax head\n", "Times in ms: best (median).\n",
                  against_others(results, "head", ["case", "n", "threads"], ["case", "n", "threads"]),
                  "Peak memory in MiB above the process before, inputs of the library included, one thread:\n", heads_memory(results)]
    if kernels:
        parts += ["## Kernels and floors\n", csv_table(kernels)]
    if results.find(group="model"):
        parts += ["## Compiled models against the same weights run densely\n", "Times in ms: best (median).\n",
                  against_others(results, "model", ["case", "n", "threads"], ["model", "n", "threads"]),
                  table(["model", "n", "who", "against temper in f64"],
                        unique((r["case"], r["n"], r["who"], r["note"]) for r in results.find(group="model", threads=1)
                               if r["note"]))]
    for group, title, make in (("long", "Long strings", lambda: long_table(results, "long")),
                               ("stream", "Streaming", lambda: long_table(results, "stream")),
                               ("short", "Short strings", lambda: simple_table(results, "short")),
                               ("check", "Exhaustive check", lambda: simple_table(results, "check")),
                               ("compile", "Compile time", lambda: simple_table(results, "compile")),
                               ("proof", "Proofs", lambda: proof_table(results)),
                               ("start", "Start-up", lambda: simple_table(results, "start"))):
        if results.find(group=group):
            parts += [f"## {title}\n", make()]
    if charts:
        parts += ["## Charts\n", "".join(f"![{name[:-4]}]({name})\n\n" for name in charts)]
    with open(os.path.join(folder, "results.md"), "w") as file:
        file.write("\n".join(parts))
    return charts
