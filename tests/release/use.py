"""The package that pip installed, used as its page begins."""
import temper

model = temper.compile("H(b -> O a)", alphabet="abc")
assert model.run(["caab", "cba"]).tolist() == [True, False]
assert str(model.certify(100_000, "f32").verdict) == "proved"
assert "site-packages" in temper.library_path
