#!/usr/bin/env python3
"""make walks: how many files of src and how many of their functions five commands walk through. usage: walks.py PROGRAM, which gcc made with
-finstrument-functions -g1 -no-pie and tests/walks/functions.c. The table of doc/design.md has these lines."""
import os
import subprocess
import sys
import tempfile

program = os.path.abspath(sys.argv[1])
WALKS = [("run", ["run", "-f", "a S b", "--alphabet", "abc", "cab"]),
         ("certify", ["certify", "-f", "a S b", "--alphabet", "abc", "--length", "100", "-o", "c.json"]),
         ("audit", ["audit", "c.json", "m.temper"]),
         ("export", ["export", "-f", "a S b", "--alphabet", "abc", "-o", "out"]),
         ("soften", ["soften", "h.temper", "--length", "12", "-o", "s.temper"])]

print("| walk | files of src | functions of src |\n| --- | --- | --- |")
with tempfile.TemporaryDirectory() as room:
    environment = {**os.environ, "TEMPER_FUNCTIONS": os.path.join(room, "functions")}
    quiet = {"cwd": room, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": True}
    subprocess.run([program, "compile", "-f", "a S b", "--alphabet", "abc", "-o", "m.temper"], **quiet)
    subprocess.run([program, "compile", "--gallery", "dyck-1", "-o", "h.temper"], **quiet)
    for name, command in WALKS:
        subprocess.run([program, *command, "--threads", "1"] if name == "soften" else [program, *command], env=environment, **quiet)
        with open(environment["TEMPER_FUNCTIONS"], encoding="ascii") as file:
            addresses = file.read().split()
        said = subprocess.run(["addr2line", "-e", program, *addresses], capture_output=True, text=True, check=True).stdout
        places = [line.split(" ")[0] for line in said.splitlines() if "src/" in line]
        files = {place[place.index("src/"):place.rindex(":")] for place in places}
        print(f"| {name} | {len(files)} | {len(places)} |", flush=True)
