"""Every exported graph passes ONNX's own checker, has the promised inputs and outputs, and is left without Gemm by onnxruntime's
optimiser, which must not merge biases into products.

usage: graph_check.py CASES NODE_FOLDER"""
import json
import os
import subprocess
import sys

import onnx

OPTIMISE = """
const ort = require(require('path').join(require('path').resolve(process.argv[1]), 'node_modules', 'onnxruntime-node'));
(async () => {
  for (const file of process.argv.slice(2))
    await ort.InferenceSession.create(file, {optimizedModelFilePath: file + '.optimised', graphOptimizationLevel: 'all',
      logSeverityLevel: 3});
})();
"""


def sizes(value):
    return [d.dim_param or d.dim_value for d in value.type.tensor_type.shape.dim]


def check_graph(path, outputs):
    """What is wrong with a graph, or nothing; outputs: how many a model has that is no acceptor, else 0."""
    model = onnx.load(path)
    try:
        onnx.checker.check_model(model, full_check=True)
    except Exception as error:  # the checker has several kinds
        return [str(error)]
    kinds = {value.name: (value.type.tensor_type.elem_type, sizes(value))
             for value in [*model.graph.input, *model.graph.output]}
    wrong = []
    if model.ir_version != 8 or [(o.domain, o.version) for o in model.opset_import] != [("", 17)]:
        wrong.append("not IR 8 with opset 17")
    if [value.name for value in model.graph.input] != ["input_ids"]:
        wrong.append("inputs")
    if outputs:
        answers = (("outputs", (1, ["batch", "sequence", outputs])),)
    else:
        answers = (("truth", (1, ["batch", "sequence"])), ("accept", (1, ["batch"])))
    for name, expected in (("input_ids", (7, ["batch", "sequence"])), *answers):
        if kinds.get(name) != expected:
            wrong.append(f"{name} is {kinds.get(name)}")
    if any(node.op_type in ("Gemm", "Softmax") for node in model.graph.node):
        wrong.append("Gemm or Softmax")
    return wrong


def main(folder, node):
    with open(os.path.join(folder, "cases.json"), encoding="utf-8") as file:
        cases = json.load(file)
    passed = failed = 0
    outputs = {os.path.join(folder, case["folder"], name): case["outputs"] for case in cases for name in ("onnx/model.onnx", "f32.onnx")}
    graphs = [path for path in outputs if os.path.exists(path)]
    some = graphs[::7]
    subprocess.run(["node", "-e", OPTIMISE, node, *some], check=True, stderr=subprocess.DEVNULL)
    for path in graphs:
        wrong = check_graph(path, outputs[path])
        if path in some and any(n.op_type == "Gemm" for n in onnx.load(path + ".optimised").graph.node):
            wrong.append("onnxruntime made a Gemm")
        passed, failed = passed + (not wrong), failed + bool(wrong)
        if wrong and failed <= 20:
            print("FAILED:", path, wrong)
    print(f"onnx {onnx.__version__}: {len(graphs)} graphs checked")
    print(f"graph-check: {passed} passed, {failed} failed")
    return failed > 0 or passed < 200


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
