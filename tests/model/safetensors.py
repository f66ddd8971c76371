"""A second reader of safetensors, from the description of the format alone: compares the weights of a model file with
those of its text form. Usage: safetensors.py m.safetensors m.temper"""
import json
import struct
import sys


def read_tensors(path):
    data = open(path, "rb").read()
    (length,) = struct.unpack_from("<Q", data)
    assert length <= 100_000_000 and data[8:9] == b"{" and (8 + length) % 8 == 0
    pairs = json.loads(data[8 : 8 + length].decode("utf-8"), object_pairs_hook=lambda p: p)
    assert len({name for name, _ in pairs}) == len(pairs)
    metadata, tensors, spans = {}, {}, []
    for name, entry in pairs:
        entry = dict(entry)
        if name == "__metadata__":
            assert all(isinstance(value, str) for value in entry.values())
            metadata = entry
            continue
        assert set(entry) == {"dtype", "shape", "data_offsets"} and entry["dtype"] == "F64"
        begin, end = entry["data_offsets"]
        count = 1
        for size in entry["shape"]:
            count *= size
        assert end - begin == 8 * count
        spans.append((begin, end))
        tensors[name] = (entry["shape"], struct.unpack_from(f"<{count}d", data, 8 + length + begin))
    at = 0
    for begin, end in sorted(spans):
        assert begin == at
        at = end
    assert 8 + length + at == len(data)
    return metadata, tensors


def row_of(words):
    return {int(c): float.fromhex(w) if "x" in w else float(w) for c, w in (word.split(":") for word in words)}


def read_text(path):
    """Rows by kind, layer and head; the words behind the last quote of a line hold no quotes."""
    rows, layer, head = [], -1, -1
    for line in open(path, encoding="utf-8"):
        kind = line.split(" ")[0] if not line.startswith("  ") else line.split()[0]
        words = line.rstrip("\n").rsplit('"', 1)[-1].split()
        if kind == "embed":
            rows.append(("embed", -1, -1, row_of(w for w in words if ":" in w)))
        elif kind == "layer":
            layer, head = layer + 1, -1
        elif kind == "head":
            head += 1
        elif kind in ("query", "key", "value", "output"):
            rows.append((kind, layer, head, row_of(words[1:])))
        elif kind == "unit":
            arrow = words.index("->")
            rows.append(("bias", layer, -1, float.fromhex(words[1]) if "x" in words[1] else float(words[1])))
            rows.append(("in", layer, -1, row_of(words[2:arrow])))
            rows.append(("out", layer, -1, row_of(words[arrow + 1 :])))
        elif kind == "read":
            rows.append(("read", -1, -1, row_of(words[1:])))
    return rows


NAMES = {
    "embed": "embed.W_E", "query": "blocks.{}.attn.W_Q", "key": "blocks.{}.attn.W_K", "value": "blocks.{}.attn.W_V",
    "output": "blocks.{}.attn.W_O", "in": "blocks.{}.mlp.W_in", "bias": "blocks.{}.mlp.b_in",
    "out": "blocks.{}.mlp.W_out", "read": "unembed.W_U",
}


def main():
    metadata, tensors = read_tensors(sys.argv[1])
    description = json.loads(metadata["temper"])
    assert metadata["format"] == "pt" and description["version"] == 1
    found = {name: [0.0] * len(values) for name, (_, values) in tensors.items()}
    counts = {}
    for kind, layer, head, row in read_text(sys.argv[2]):
        name = NAMES[kind].format(layer)
        shape = tensors[name][0]
        r = counts.get((kind, layer, head), 0)
        counts[kind, layer, head] = r + 1
        if kind == "bias":
            found[name][r] = row
            continue
        for c, weight in row.items():
            index = (c, r) if kind in ("query", "key", "value", "in", "read") else (r, c)
            if head >= 0:
                index = (head,) + index
            flat = 0
            for size, i in zip(shape, index, strict=True):
                assert i < size
                flat = flat * size + i
            found[name][flat] = weight
    for name, (_, values) in tensors.items():
        assert struct.pack(f"<{len(values)}d", *values) == struct.pack(f"<{len(values)}d", *found[name]), name
    print(f"same weights in {len(tensors)} tensors")


main()
