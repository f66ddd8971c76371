"""What a client said of a string, against what temper run says."""
import json
import os


def expected_ids(folder, ordinary, ids):
    """With what the tokenizer puts around a string; letters of ordinary transformers come after <s> and </s>."""
    if ordinary:
        return [0, *(k + 2 for k in ids)]
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
        config = json.load(file)
    end = config["eos_token_id"]
    return [config["bos_token_id"], *ids, *([] if end is None else [end])]


class Tally:
    def __init__(self, client):
        self.client, self.passed, self.failed, self.refused = client, 0, 0, 0

    def check(self, ok, message):
        self.passed, self.failed = self.passed + bool(ok), self.failed + (not ok)
        if not ok and self.failed <= 40:
            print("WRONG", self.client, message)

    def ask(self, folder, about, case, read):
        """read: a string to its ids, or None, and a function that says whether it is accepted, or None."""
        what = f"{folder} ({about['name']}): {case['string']!r}"
        try:
            ids, accepts = read(case["string"])
            if ids is not None and case["ids"] is not None:
                expected = expected_ids(folder, about["ordinary"], case["ids"])
                self.check(ids == expected, f"{what}: ids {ids}, not {expected}")
            if accepts is None:
                return
            found = accepts()
        except Exception as error:  # of any class: a refusal
            self.refused += case["accept"] is None
            self.check(case["accept"] is None, f"{what}: {type(error).__name__}: {error}")
            return
        self.check(found is bool(case["accept"]), f"{what}: {found}, but temper run says {case['accept']}")

    def finish(self):
        print(f"letters in {self.client} ({self.refused} strings refused, as by temper run): {self.passed} passed, {self.failed} failed")
        return self.failed > 0 or self.passed == 0
