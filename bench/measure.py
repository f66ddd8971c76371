"""Taking turns, peak memory, rows of results."""
import csv
import ctypes
import gc
import statistics
import subprocess
import time

COLUMNS = ["group", "case", "type", "d", "n", "threads", "who", "repeats", "best_s", "median_s", "peak_kib", "note"]


class Results:
    def __init__(self):
        self.rows = []

    def add(self, group, case, who, times=(), **more):
        row = dict.fromkeys(COLUMNS, "")
        row.update(group=group, case=case, who=who, **more)
        if times:
            row.update(repeats=len(times), best_s=min(times), median_s=statistics.median(times))
        self.rows.append(row)
        return row

    @classmethod
    def read(cls, path):
        """The rows of a results.csv, numbers as numbers."""
        results = cls()
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                for column in ("d", "n", "threads", "repeats", "peak_kib"):
                    row[column] = int(row[column]) if row[column] else ""
                for column in ("best_s", "median_s"):
                    row[column] = float(row[column]) if row[column] else ""
                results.rows.append(row)
        return results

    def find(self, **wanted):
        return [r for r in self.rows if all(r[key] == value for key, value in wanted.items())]

    def best(self, **wanted):
        """The smallest best time among the rows that match, or None."""
        times = [r["best_s"] for r in self.find(**wanted) if r["best_s"] != ""]
        return min(times) if times else None


def say(text):
    print(text, flush=True)


def timed(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def interleave(contenders, rounds, pause, budget):
    """contenders: {name: function that runs once and returns seconds}; all have run before, to compare their answers.
    Each round gives everybody one turn, starting with another one each time; a turn is one call, or up to five calls of a
    few milliseconds. Whoever has used up `budget` seconds and has two times sits out. The pause lets the threads of the
    last one stop spinning."""
    times = {name: [] for name in contenders}
    names = list(contenders)
    for turn in range(rounds):
        shift = turn % len(names)
        for name in names[shift:] + names[:shift]:
            if len(times[name]) >= 2 and sum(times[name]) > budget:
                continue
            time.sleep(pause)
            turn_times = [contenders[name]()]
            while len(turn_times) < 5 and sum(turn_times) < 0.03:
                turn_times.append(contenders[name]())
            times[name] += turn_times
    return times


def status_kib(field):
    with open("/proc/self/status") as file:
        for line in file:
            if line.startswith(field + ":"):
                return int(line.split()[1])
    return 0


def available_kib():
    with open("/proc/meminfo") as file:
        for line in file:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1])
    return 0


def peak_growth(function):
    """By how many KiB the resident memory of this process rises at most while function runs; "": not known here."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        return ""
    before = status_kib("VmRSS")
    function()
    return max(0, status_kib("VmHWM") - before)


class Spawner:
    """Runs commands through build/bench/spawn; see spawn.c for what is timed."""

    def __init__(self, program):
        self.program = program

    def run(self, command, repeats=1, source="-", target="-", timeout=600):
        """[(seconds, user, system, peak KiB, status)]"""
        done = subprocess.run([self.program, str(repeats), str(timeout), source, target, *command],
                              stdout=subprocess.PIPE, text=True, check=True)
        return [(*map(float, line.split()[:3]), *map(int, line.split()[3:])) for line in done.stdout.splitlines()]
