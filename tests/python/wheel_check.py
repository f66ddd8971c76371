"""What an installed wheel must do, away from the sources. Run by tests/python/wheel.sh in an environment of its own."""
import json
import os
import re
import subprocess
import sys
import warnings
from importlib.metadata import files, version

warnings.simplefilter("error")
import temper  # noqa: E402


def run(*command):
    """What a command prints; it must say nothing on standard error."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, check=False)
    assert done.returncode == 0 and not done.stderr, (command, done)
    return done.stdout


model = temper.compile("H(b -> O a)", alphabet="abc")
assert model.run(["caab", "cba"]).tolist() == [True, False]
certificate = model.certify(1000, "f32")
assert certificate.proved
temper.audit(certificate, model)
carried = os.path.exists(os.path.join(os.path.dirname(temper.__file__), "program", "temper-checker"))
assert certificate.checked_by == ("audit and proved checker" if carried else "audit")
assert temper.compile(regex="(ab)*").run(["abab", "aba"]).tolist() == [True, False]
assert version("temper-softmax") == temper.__version__

program = os.path.join(os.path.dirname(sys.executable), "temper")
asked = ["-f", "H(b -> O a)", "--alphabet", "abc"]
for command in ([program], [sys.executable, "-m", "temper"]):
    assert run(*command, "--version").split() == ["temper", temper.__version__]
    assert run(*command, "run", *asked, "caab") == "accept\tcaab\n"
    # Exact arithmetic, which the program has from libraries of the wheel, too.
    assert json.loads(run(*command, "--json", "certify", *asked, "--type", "f32", "--length", "1000").splitlines()[0])["verdict"] == "proved"
wrong = subprocess.run([program, "run", "-f", "O(", "--alphabet", "ab", "a"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
assert wrong.returncode == 2 and wrong.stderr

names = [str(name) for name in files("temper-softmax")]
inside = [re.sub(r"-[0-9a-f]{8}\..*", "", name.split("/")[-1]) for name in names if name.startswith("temper_softmax.libs/")]
notices = [name.split("/")[-1] for name in names if name.startswith("temper/licenses/")]
assert "temper.txt" in notices
for library in inside:  # each with its licence, by the name of its package
    assert any(notice.startswith(library) for notice in notices), (library, notices)
assert "LGPL-3.txt" in notices and "LGPL-2.1.txt" in notices, notices
loaded = {line.split()[-1] for line in open("/proc/self/maps") if any(f"/{stem}" in line for stem in ["libtemper", *inside])}
assert len(loaded) >= 5 and all("/site-packages/" in path for path in loaded), loaded
linked = run("ldd", os.path.join(os.path.dirname(temper.__file__), "program", "temper"))
assert "not found" not in linked and all("/site-packages/" in line for line in linked.splitlines() if any(stem in line for stem in inside)), linked
print(f"the wheel works in Python {sys.version.split()[0]}, {os.confstr('CS_GNU_LIBC_VERSION')}: {', '.join(sorted(inside))} inside")
