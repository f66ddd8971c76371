"""A stand-in for the Python package onnxruntime, which Debian does not have: hands every run to onnxruntime-node, the same runtime.
The variable INTEROP_NODE names the folder it is installed in."""
import json
import os
import subprocess

import numpy

RUN = """
const path = require('path');
const ort = require(path.join(path.resolve(process.argv[1]), 'node_modules', 'onnxruntime-node'));
(async () => {
  const request = JSON.parse(process.argv[2]);
  const session = await ort.InferenceSession.create(request.model, {logSeverityLevel: 3});
  const feeds = {};
  for (const [name, input] of Object.entries(request.feeds))
    feeds[name] = new ort.Tensor('int64', BigInt64Array.from(input.data.map(BigInt)), input.shape);
  const results = await session.run(feeds, request.names);
  console.log(JSON.stringify(request.names.map((name) => ({data: Array.from(results[name].data), shape: results[name].dims}))));
})().catch((error) => { console.error(error.message); process.exit(1); });
"""


class InferenceSession:
    def __init__(self, path):
        self.path = path

    def run(self, names, feeds):
        inputs = {name: {"data": array.reshape(-1).tolist(), "shape": list(array.shape)} for name, array in feeds.items()}
        for name, array in feeds.items():
            if array.dtype != numpy.int64:
                raise ValueError(f"{name} must be int64")
        request = json.dumps({"model": self.path, "names": names, "feeds": inputs})
        done = subprocess.run(["node", "-e", RUN, os.environ["INTEROP_NODE"], request], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr.strip())
        return [numpy.array(out["data"]).reshape(out["shape"]) for out in json.loads(done.stdout)]
