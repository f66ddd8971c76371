"""Writes the bad safetensors files of tests/bad, one defect each: scripts/bad-safetensors.py tests/bad
What temper must say about each stands beside it, in NAME.expect."""
import copy
import json
import struct
import sys

LAYER = {"heads": [{"label": "h", "mask": "j<=i", "choice": "average", "query": 1, "value": 1}], "units": 1}
MODEL = {
    "version": 1, "alphabet": ["a", "b"], "channels": [{"label": "one", "position": "1"}, {"label": "a"}], "layers": [LAYER],
}
SHAPES = {
    "embed.W_E": [4, 2], "blocks.0.attn.W_Q": [1, 2, 1], "blocks.0.attn.W_K": [1, 2, 1], "blocks.0.attn.W_V": [1, 2, 1],
    "blocks.0.attn.W_O": [1, 1, 2], "blocks.0.mlp.W_in": [2, 1], "blocks.0.mlp.b_in": [1], "blocks.0.mlp.W_out": [1, 2],
    "unembed.W_U": [2, 1],
}


def size_of(shape):
    count = 1
    for size in shape:
        count *= size
    return count


def pack(header, data):
    return struct.pack("<Q", len(header)) + header + data


def tensors(shapes):
    """The entries of the header and the data: every number is 0.5."""
    entries, at = {}, 0
    for name, shape in shapes.items():
        end = at + 8 * size_of(shape)
        entries[name] = {"dtype": "F64", "shape": shape, "data_offsets": [at, end]}
        at = end
    return entries, struct.pack("<d", 0.5) * (at // 8)


def model_file(temper, metadata=None, shapes=SHAPES):
    """A model file; `temper` is the description, as an object or as text."""
    entries, data = tensors(shapes)
    text = temper if isinstance(temper, str) else json.dumps(temper, separators=(",", ":"))
    return pack(json.dumps({"__metadata__": metadata or {"temper": text}, **entries}).encode(), data)


def plain(header, data=bytes(8)):
    """A container without a model: defects of the container are found before it is looked for."""
    return pack(header.encode() if isinstance(header, str) else header, data)


def one(entry, data=bytes(8)):
    return plain('{"x":' + entry + "}", data)


FINE = '{"dtype":"F64","shape":[1],"data_offsets":[0,8]}'
NONE = '{"dtype":"F64","shape":[0],"data_offsets":[8,8]}'


def shape(text, data=bytes(8)):
    return one('{"dtype":"F64","shape":' + text + ',"data_offsets":[0,8]}', data)


def offsets(text):
    return one('{"dtype":"F64","shape":[1],"data_offsets":' + text + "}")


def changed(edit, **more):
    m = copy.deepcopy(MODEL)
    edit(m)
    return model_file(m, **more)


def setting(**values):
    return model_file({**MODEL, **values})


def without(key):
    return changed(lambda m: m.pop(key))


def head(method="hard", drop=(), **values):
    def edit(m):
        m["method"] = method
        m["layers"][0]["heads"][0].update(values)
        for key in drop:
            del m["layers"][0]["heads"][0][key]
    return changed(edit)


def channel(method="hard", **values):
    return changed(lambda m: (m.update(method=method), m.update(channels=[values, {"label": "a"}])))


def part(**values):
    return setting(parts=[{"formula": "a", "layer": 1, **values}])


def number(name, bits):
    """One number of a tensor replaced."""
    data = bytearray(model_file(MODEL))
    entries, _ = tensors(SHAPES)
    begin = len(data) - sum(8 * size_of(s) for s in SHAPES.values()) + entries[name]["data_offsets"][0]
    data[begin + 8 : begin + 16] = struct.pack("<Q", bits)
    return bytes(data)


def wide_head():
    """Two heads of different size, with something in the padding of the second."""
    m = copy.deepcopy(MODEL)
    m["layers"][0]["heads"] = [{**LAYER["heads"][0], "query": 2}, LAYER["heads"][0]]
    shapes = {n: [2, 2, 2] if ".attn." in n else s for n, s in SHAPES.items()}
    return model_file(m, shapes=shapes)


def typed(name):
    entries, data = tensors(SHAPES)
    entries["unembed.W_U"]["dtype"] = name
    entries["unembed.W_U"]["data_offsets"][1] -= 16 - 2 * {"F32": 4, "BF16": 2}[name]
    text = json.dumps({"__metadata__": {"temper": json.dumps(MODEL)}, **entries})
    return pack(text.encode(), data[: entries["unembed.W_U"]["data_offsets"][1]])


TEXT = json.dumps(MODEL, separators=(",", ":"))
SOFT = {"choice": "softmax", "method": "temperature"}

CASES = {
    # the file and its header
    "file-short": b"\x10\0\0\0\0",
    "header-too-large": struct.pack("<Q", 100_000_001) + b"{}",
    "header-beyond-file": struct.pack("<Q", 100) + b"{}",
    "header-empty": plain(""),
    "header-array": plain("[]"),
    "header-blank-first": plain(" {}", b""),
    "header-unfinished": plain('{"x":' + FINE),
    "header-not-utf8": plain(b'{"x\xff":' + FINE.encode() + b"}"),
    "header-overlong-utf8": plain(b'{"x\xc0\x80":' + FINE.encode() + b"}"),
    "header-control-character": plain(b'{"x\x01":' + FINE.encode() + b"}"),
    "header-half-surrogate": plain('{"x\\ud800":' + FINE + "}"),
    "header-comma-last": plain('{"x":' + FINE + ",}"),
    "header-nan": shape("[NaN]"),
    "header-text-after": plain('{"x":' + FINE + "} x"),
    "header-newline-after": plain('{"x":' + FINE + "}\n"),
    "tensor-twice": plain('{"x":' + FINE + ',"x":' + NONE + "}"),
    "tensor-twice-escaped": plain('{"x":' + FINE + ',"\\u0078":' + NONE + "}"),
    "tensor-name-nul": plain('{"x\\u0000":' + FINE + "}"),
    "tensor-not-object": one("[]"),
    "metadata-twice": plain('{"__metadata__":{},"__metadat\\u0061__":{}}', b""),
    "metadata-key-twice": plain('{"__metadata__":{"a":"","\\u0061":""}}', b""),
    "metadata-number": plain('{"__metadata__":{"a":1}}', b""),
    "metadata-not-object": plain('{"__metadata__":"a"}', b""),
    # the fields of a tensor
    "field-unknown": one('{"dtype":"F64","shape":[1],"data_offsets":[0,8],"order":"C"}'),
    "field-twice": one('{"dtype":"F64","\\u0064type":"F64","shape":[1],"data_offsets":[0,8]}'),
    "dtype-missing": one('{"shape":[1],"data_offsets":[0,8]}'),
    "dtype-unknown": one('{"dtype":"F128","shape":[1],"data_offsets":[0,8]}'),
    "dtype-number": one('{"dtype":64,"shape":[1],"data_offsets":[0,8]}'),
    "shape-missing": one('{"dtype":"F64","data_offsets":[0,8]}'),
    "shape-number": shape("1"),
    "shape-negative": shape("[-1]"),
    "shape-fraction": shape("[1.0]"),
    "shape-exponent": shape("[1e0]"),
    "shape-leading-zero": shape("[01]"),
    "shape-text": shape('["1"]'),
    "shape-too-large": shape("[18446744073709551616]"),
    "shape-overflow": shape("[4294967296,4294967296]"),
    "shape-overflow-type": shape("[2305843009213693952]"),
    "shape-many-dimensions": shape("[1,1,1,1,1,1,1,1,1]"),
    "shape-wrong-size": shape("[2]"),
    "offsets-missing": one('{"dtype":"F64","shape":[1]}'),
    "offsets-one": offsets("[0]"),
    "offsets-three": offsets("[0,8,8]"),
    "offsets-reversed": offsets("[8,0]"),
    "offsets-negative": offsets("[-8,0]"),
    "offsets-fraction": offsets("[0,8.0]"),
    "offsets-beyond-file": offsets("[0,16]"),
    "offsets-overlap": plain('{"x":' + FINE + ',"y":' + FINE + "}"),
    "offsets-hole": plain('{"x":' + FINE + ',"y":' + FINE.replace("[0,8]", "[16,24]") + "}", bytes(24)),
    "offsets-hole-first": one(FINE.replace("[0,8]", "[8,16]"), bytes(16)),
    "data-left-over": one(FINE, bytes(9)),
    # the tensors of a model
    "weight-missing": model_file(MODEL, shapes={n: s for n, s in SHAPES.items() if n != "blocks.0.attn.W_K"}),
    "weight-extra": model_file(MODEL, shapes={**SHAPES, "blocks.0.attn.b_Q": [1, 1]}),
    "weight-transposed": model_file(MODEL, shapes={**SHAPES, "blocks.0.mlp.W_in": [1, 2]}),
    "weight-other-rank": model_file(MODEL, shapes={**SHAPES, "unembed.W_U": [2]}),
    "weight-f32": typed("F32"),
    "weight-bf16": typed("BF16"),
    "weight-nan": number("blocks.0.attn.W_Q", 0x7FF8000000000000),
    "weight-infinite": number("embed.W_E", 0xFFF0000000000000),
    "weight-in-padding": wide_head(),
    "letters-too-many": setting(alphabet=["a", "b", "c"]),
    # the keys of __metadata__
    "temper-missing": model_file(MODEL, {"format": "temper"}),
    "format-other": model_file(MODEL, {"temper": TEXT, "format": "tf"}),
    "metadata-key-unknown": model_file(MODEL, {"temper": TEXT, "author": "x"}),
    "digest-short": model_file(MODEL, {"temper": TEXT, "digest": "0123"}),
    "digest-not-hex": model_file(MODEL, {"temper": TEXT, "digest": "0123456789abcdeg"}),
    # the description
    "temper-empty": model_file(""),
    "temper-array": model_file("[]"),
    "temper-text-after": model_file(TEXT + "x"),
    "temper-too-deep": model_file('{"version":' + "[" * 64 + "]" * 64 + "}"),
    "temper-key-unknown": setting(colour="red"),
    "temper-key-twice": model_file(TEXT.replace('{"version":1', '{"version":1,"versio\\u006e":1')),
    "temper-bad-escape": model_file(TEXT.replace('"one"', '"\\q"')),
    "version-missing": without("version"),
    "version-other": setting(version=3),
    "version-text": setting(version="1"),
    "kind-version-1": setting(kind="transducer", outputs=["x"]),
    "kind-unknown": setting(version=2, kind="acceptor", outputs=["x"]),
    "kind-without-outputs": setting(version=2, kind="transducer"),
    "outputs-without-kind": setting(version=2, outputs=["x"]),
    "outputs-none": setting(version=2, kind="transducer", outputs=[]),
    "outputs-text": setting(version=2, kind="transducer", outputs="x"),
    "outputs-twice": setting(version=2, kind="transducer", outputs=["x", "x"]),
    "outputs-other": setting(version=2, kind="transducer", outputs=["x", "y"]),
    "outputs-not-letters": setting(version=2, kind="next", outputs=["x"]),
    "logits-in-transducer": setting(version=2, kind="transducer", outputs=["x"], logits=True),
    "logits-missing": setting(version=2, kind="next", outputs=["x"], logits=True),
    "other-version-1": setting(other="a"),
    "other-unknown": setting(version=2, other="z"),
    "other-number": setting(version=2, other=1),
    "method-unknown": setting(method="soft"),
    "method-digits-without-format": setting(method="digits"),
    "syntax-unknown": setting(syntax="ltl"),
    "source-number": setting(source=1),
    "alphabet-missing": without("alphabet"),
    "alphabet-text": setting(alphabet="ab"),
    "alphabet-empty": setting(alphabet=[]),
    "alphabet-number": setting(alphabet=["a", 1]),
    "letter-empty": setting(alphabet=["a", ""]),
    "letter-twice": setting(alphabet=["a", "a"]),
    "letter-nul": setting(alphabet=["a", "\0"]),
    "letter-several-characters": setting(alphabet=["a", "bc"]),
    "token-with-blank": setting(alphabet=["a", "b c"], tokens=True),
    "tokens-text": setting(tokens="yes"),
    "at-middle": setting(at="middle"),
    "empty-maybe": setting(empty="maybe"),
    "end-number": setting(end=1),
    "safe-negative": setting(safe=-1),
    "safe-fraction": setting(safe=1.5),
    "safe-too-large": setting(safe=2**64),
    "reason-null": setting(reason=None),
    "bound-number": setting(bound=1),
    "bound-without-margin": setting(bound={"error": "0", "of": "verdict"}),
    "bound-negative": setting(bound={"error": "-1", "margin": "0.5", "of": "verdict"}),
    "bound-infinite": setting(bound={"error": "0", "margin": "1e999", "of": "verdict"}),
    "bound-not-below-margin": setting(bound={"error": "0.5", "margin": "0.5", "of": "verdict"}),
    "bound-of-nothing": setting(bound={"error": "0", "margin": "0.5", "of": "all"}),
    "channels-missing": without("channels"),
    "channels-object": setting(channels={}),
    "channel-label-missing": channel(position="1"),
    "channel-label-nul": channel(label="a\0"),
    "channel-key-unknown": channel(label="x", colour="red"),
    "channel-position-number": channel(label="x", position=1),
    "channel-expression": channel(label="x", position="1 +"),
    "channel-soft-in-hard": channel(label="x", soft="i"),
    "channel-soft-and-position": channel("temperature", label="x", soft="i", position="i"),
    "channels-too-few": setting(channels=[{"label": "a"}]),
    "layers-missing": without("layers"),
    "layers-number": setting(layers=1),
    "layer-heads-missing": setting(layers=[{"units": 1}]),
    "layer-heads-object": setting(layers=[{"heads": {}, "units": 1}]),
    "layer-units-missing": setting(layers=[{"heads": LAYER["heads"]}]),
    "layer-units-negative": setting(layers=[{**LAYER, "units": -1}]),
    "layer-units-huge": setting(layers=[{**LAYER, "units": 4294967295}]),
    "layer-units-other": setting(layers=[{**LAYER, "units": 2}]),
    "head-label-missing": head(drop=["label"]),
    "head-mask-missing": head(drop=["mask"]),
    "head-choice-missing": head(drop=["choice"]),
    "head-query-missing": head(drop=["query"]),
    "head-value-missing": head(drop=["value"]),
    "head-key-unknown": head(colour="red"),
    "head-role-unknown": head(role="loud"),
    "head-role-query": head(role="balance"),
    "head-mask-unknown": head(mask="j=i"),
    "head-choice-unknown": head(choice="hardmax"),
    "head-softmax-in-hard": head(choice="softmax"),
    "head-for-in-hard": head(**{"for": "average"}),
    "head-scale-in-hard": head(scale="N"),
    "head-scale-of-position": head(**SOFT, scale="i"),
    "head-scale-expression": head(**SOFT, scale="m"),
    "head-adaptive-alone": head(**SOFT, adaptive="N"),
    "head-adaptive-and-scale": head(**SOFT, **{"for": "average"}, adaptive="N", scale="N"),
    "head-query-fraction": head(query=0.5),
    "head-query-other": head(query=3),
    "parts-object": setting(parts={}),
    "part-formula-missing": setting(parts=[{"layer": 0}]),
    "part-layer-missing": setting(parts=[{"formula": "a"}]),
    "part-layer": part(layer=2),
    "part-head": part(head=2),
    "part-head-zero": part(head=0),
    "part-channel": part(channel=2),
    "part-key-unknown": part(colour="red"),
}

for name, content in CASES.items():
    with open(f"{sys.argv[1]}/safetensors-{name}.safetensors", "wb") as f:
        f.write(content)
