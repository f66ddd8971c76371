#!/usr/bin/env python3
"""Measures temper beside PyTorch, onnxruntime, JAX and llama.cpp in one run; `make bench` builds what it needs and starts it.

Writes results.csv, results.md and charts to bench/results/. doc/performance.md says what is measured and how."""
import argparse
import csv
import datetime
import os
import subprocess
import sys
import tempfile
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

PARTS = ("heads", "models", "commands", "kernels", "proofs")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(HERE, "..", "build"), help="the build folder")
    parser.add_argument("--results", default=os.path.join(HERE, "results"), help="where to write")
    parser.add_argument("--quick", action="store_true", help="fewer lengths and repetitions: about four minutes")
    parser.add_argument("--reference", action="store_true", help="also put the tables into doc/performance.md")
    parser.add_argument("--render", action="store_true",
                        help="measure nothing: write tables and charts anew from results.csv")
    parser.add_argument("--only", default=",".join(PARTS), help="parts to measure, of " + ",".join(PARTS))
    parser.add_argument("--llama", default="", help="a folder whose node_modules has node-llama-cpp; without it llama.cpp is left out")
    parser.add_argument("--threads", default="1,2", help="thread counts (default: 1,2)")
    options = parser.parse_args()
    options.failed = False
    options.only = options.only.split(",")
    unknown = [part for part in options.only if part not in PARTS]
    if unknown:
        parser.error(f"unknown part {unknown[0]}: choose from {', '.join(PARTS)}")
    options.threads = [int(t) for t in options.threads.split(",")]
    return options


def first_line(path, key):
    with open(path) as file:
        for line in file:
            if line.startswith(key):
                return line.split(":", 1)[1].strip()
    return ""


def run_kernels_bench(program, quick):
    """Rows of the C micro-benchmark (the kernels alone, the floors, the scan): [{column: text}]."""
    done = subprocess.run([program, "--n", "4096", "--reps", "5" if quick else "31", "--threads", "2"],
                          stdout=subprocess.PIPE, text=True)
    if done.returncode:
        print(f"bench: {program} ended with status {done.returncode}", file=sys.stderr)
        return []
    lines = [line for line in done.stdout.splitlines(True) if not line.startswith("#")]
    return list(csv.DictReader(lines))


def run_proofs(results, build, quick):
    """What proofs of hard choices cost by length: the table of proofs.sh, a row for each of soften, certify and audit."""
    import measure

    measure.say("proofs of softened models")
    quickly = ["parity:2048", "majority:2048", "copy:400", "dyck-1:400", "dyck-2:400"] if quick else []
    done = subprocess.run(["bash", os.path.join(HERE, "proofs.sh"), build] + quickly, stdout=subprocess.PIPE, text=True)
    for line in done.stdout.splitlines()[2:]:
        name, length, *seconds, powers = [cell.strip() for cell in line.strip("|").split("|")]
        for who, taken, power in zip(("soften", "certify", "audit"), seconds, powers.split(", ")):
            row = results.add("proof", name, who, [] if taken == "-" else [float(taken)], type="f64", n=int(length), threads=1)
            row["note"] = "failed" if taken == "-" else f"length to the power {power}"


def run_all(options, build):
    """Measures, and returns results, the rows of kernels_bench, and lines about the run."""
    import torch

    import commands
    import heads
    import llama
    import measure
    import models
    import ort

    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    started = datetime.datetime.now()
    load = os.getloadavg()
    results = measure.Results()
    temper = heads.Temper(os.path.join(build, "bench", "libbench.so"))
    spawner = measure.Spawner(os.path.join(build, "bench", "spawn"))
    spawner.temper = os.path.join(build, "temper")
    help_text = subprocess.run([spawner.temper, "run", "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    kernels = []
    with tempfile.TemporaryDirectory(prefix="temper-bench-") as work:
        server = ort.Server(work)
        versions = server.ask(do="version")
        try:
            if "commands" in options.only:
                commands.run(results, spawner, work, options.quick, options.threads, help_text)
            if "proofs" in options.only:
                run_proofs(results, build, options.quick)
            if "kernels" in options.only:
                kernels = run_kernels_bench(os.path.join(build, "bench", "kernels_bench"), options.quick)
            if "heads" in options.only:
                heads.run(results, temper, server, work, options.quick, options.threads)
            if "models" in options.only:
                models.run(results, temper.library, server, spawner, work, options.quick, options.threads, help_text)
                if options.llama:
                    llama.run(results, spawner, options.llama, work, options.quick, options.threads)
        except (KeyboardInterrupt, Exception):
            traceback.print_exc(limit=-2)
            print("bench: stopped early; what was measured so far is written", file=sys.stderr)
            options.failed = True
        server.close()
    minutes = (datetime.datetime.now() - started).seconds // 60 + 1
    about = [
        f"{started:%Y-%m-%d %H:%M}, {minutes} minutes" + (", --quick" if options.quick else ""),
        f"{first_line('/proc/cpuinfo', 'model name')}, {os.cpu_count()} cores, load {load[0]:.1f} before, "
        f"{os.getloadavg()[0]:.1f} after",
        f"temper kernels: {temper.kernels}",
        f"PyTorch {torch.__version__} ({torch.backends.cpu.get_cpu_capability()}), onnxruntime {versions['version']}, "
        f"JAX {versions['jax'] or 'not there'}, node-llama-cpp {llama.version(options.llama)}",
    ]
    return results, kernels, about


def main():
    options = arguments()
    import measure
    import report

    folder = options.results
    os.makedirs(folder, exist_ok=True)
    kernels_file, results_file = os.path.join(folder, "kernels.csv"), os.path.join(folder, "results.csv")
    if options.render:
        results, kernels = measure.Results.read(results_file), []
        about = [row["case"] for row in results.find(group="about")]
        if os.path.exists(kernels_file):
            with open(kernels_file, newline="") as file:
                kernels = list(csv.DictReader(file))
    else:
        results, kernels, about = run_all(options, os.path.abspath(options.build))
        for line in about:
            results.add("about", line, "")
        report.write_csv(results, results_file)
        if kernels:
            with open(kernels_file, "w", newline="") as file:
                writer = csv.DictWriter(file, list(kernels[0]))
                writer.writeheader()
                writer.writerows(kernels)
        elif os.path.exists(kernels_file):
            os.remove(kernels_file)
    charts = report.write(results, kernels, about, folder)
    if options.reference and not options.failed:
        report.write_reference(results, kernels, about, os.path.join(HERE, "..", "doc", "performance.md"))
    print(f"bench: wrote results.md and {len(charts)} charts to {folder}")
    return 1 if options.failed else 0


if __name__ == "__main__":
    sys.exit(main())
