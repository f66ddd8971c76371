"""Models of cases.py in Python's clients: every string has the verdict of `temper run`, by the calls that README.md of the folder
shows. Where temper run refuses a string, a client refuses or rejects it, and never accepts.

usage: check.py CLIENT WORK, with CLIENT one of transformers, tokenizers, loader, onnxruntime"""
import contextlib
import functools
import glob
import io
import json
import os
import re
import runpy
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import verdicts  # noqa: E402


def transformers_reader(folder, ordinary):
    import torch
    import transformers
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, trust_remote_code=True)
    if ordinary:
        model = transformers.AutoModelForCausalLM.from_pretrained(folder).float()
    else:
        model = transformers.AutoModel.from_pretrained(folder, trust_remote_code=True, torch_dtype="auto")

    @torch.no_grad()
    def read(string):
        inputs = tokenizer(string, return_tensors="pt")
        ids = inputs["input_ids"][0].tolist()
        return ids, lambda: bool(model(**inputs).logits[0][-1, 1] > -64 if ordinary else model(**inputs).accept[0] == 1)
    return read


def tokenizers_reader(folder, ordinary):
    """The library by itself, without transformers: only ids."""
    from tokenizers import Tokenizer
    tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
    return lambda string: (tokenizer.encode(string).ids, None)


def loader_reader(folder, ordinary):
    import torch
    torch.set_num_threads(1)
    sys.path.insert(0, folder)
    model = runpy.run_path(os.path.join(folder, "modeling_temper.py"))["load"](folder)
    sys.path.remove(folder)
    return lambda string: (None, lambda: model.answer([string])[0])


def onnxruntime_reader(folder, ordinary):
    """The code of README.md, with another string."""
    import onnxruntime
    with open(os.path.join(folder, "README.md"), encoding="utf-8") as file:
        (code,) = re.findall(r"^```python\n((?:(?!```).)*onnxruntime.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
    code = code.replace('"model/', '"' + folder + "/")
    onnxruntime.InferenceSession = functools.lru_cache(1)(SESSION)

    def read(string):
        written, count = re.subn(r"^string = .*$", lambda _: "string = STRING", code, flags=re.MULTILINE)
        assert count == 1, code
        names = {"STRING": string}

        def run():
            with contextlib.redirect_stdout(io.StringIO()):
                exec(written, names)
            return bool(names["accept"][0] == 1)
        return None, run
    return read


READERS = {"transformers": transformers_reader, "tokenizers": tokenizers_reader, "loader": loader_reader,
           "onnxruntime": onnxruntime_reader}


def main(client, work):
    tally = verdicts.Tally(client)
    for path in sorted(glob.glob(os.path.join(work, "*", "strings.json"))):
        with open(path, encoding="utf-8") as file:
            about = json.load(file)
        folder = os.path.join(os.path.dirname(os.path.abspath(path)), "model")
        read = READERS[client](folder, about["ordinary"])
        for case in about["cases"]:
            tally.ask(folder, about, case, read)
    return tally.finish()


if __name__ == "__main__":
    if sys.argv[1] == "onnxruntime":
        import onnxruntime
        SESSION = onnxruntime.InferenceSession
    sys.exit(main(*sys.argv[1:]))
