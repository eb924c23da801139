#!/usr/bin/python3
"""Capacity of every layer of the dense sample network, from its file's weights alone (numpy, onnx; none of the project's code):
kappa^{l-1} = D_l kappa^l, D_l the squared weights with each output unit's share normalised to 1 (P1 Eqs 25-27).

Writes {"network": id, "cases": [{"top": 0 | "uniform", "capacity": [[layer 0, the input], ..., [top layer]]}, ...]}.
Run by /usr/bin/python3:  tests/reference/sample_capacity.py samples/shapes-classifier.onnx tests/data/sample_capacity.json
"""
import json
import pathlib
import sys

import numpy as np
import onnx
from onnx import numpy_helper


def weight_matrices(path):
    graph = onnx.load(path).graph
    tensors = {t.name: numpy_helper.to_array(t).astype(np.float64) for t in graph.initializer}
    return [tensors[node.input[1]] for node in graph.node if node.op_type == "Gemm"]  # [output][input]: transB = 1


def capacities(matrices, top):
    states = [top]
    for w in reversed(matrices):
        d = (w * w).T  # [input][output]
        d /= d.sum(axis=0)
        states.insert(0, d @ states[0])
    return [state.tolist() for state in states]


def main():
    source, target = map(pathlib.Path, sys.argv[1:])
    matrices = weight_matrices(source)
    outputs = matrices[-1].shape[0]
    cases = [{"top": 0, "capacity": capacities(matrices, np.eye(outputs)[0])},
             {"top": "uniform", "capacity": capacities(matrices, np.full(outputs, 1 / outputs))}]
    for case in cases:
        assert all(abs(sum(layer) - 1) < 1e-14 for layer in case["capacity"])
    target.write_text(json.dumps({"network": source.stem, "cases": cases}) + "\n")


if __name__ == "__main__":
    main()
