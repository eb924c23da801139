#!/usr/bin/python3
"""Capacity of every state of the sample networks and their outputs, from the files alone (onnx_capacity.py: none of the project's code).

Writes {"networks": [{"network": id, "layers": [name of the layer that makes the state, the input first],
"shapes": [layer][channels, height, width], "cases": [{"top": 0 | "uniform", "byPosition": [layer][y * width + x] (summed over channels),
"byChannel": [layer][channel], "checksum": [layer]}], "forward": [{"input": "sine" | "golden", "output": [unit]}]}]}.
The checksum of a state is the sum over its units i (channel-major) of capacity times golden(i).
Inputs: sine(i) = sin(i), golden(i) = fractional part of (i + 1) * 0.6180339887498949.
Run by /usr/bin/python3 (python3-numpy, python3-onnx); --check compares with the file instead, to 1e-11:
    tests/reference/sample_capacity.py [--check] samples tests/data/sample_capacity.json
"""
import json
import math
import pathlib
import sys

import numpy as np

from onnx_capacity import CapacityNetwork
from onnx_network import planes


def golden(count):
    return np.array([math.fmod((i + 1) * 0.6180339887498949, 1) for i in range(count)])


def decimals(values):
    return [float(f"{v:.12g}") for v in np.ravel(values)]


def case(network, states, top, held):
    flow = network.capacities(held)
    layers = [planes(flow[last].reshape(network.values[made].shape)) for _, made, last in states]
    return {"top": top, "byPosition": [decimals(k.sum(axis=0)) for k in layers],
            "byChannel": [decimals(k.sum(axis=(1, 2))) for k in layers], "checksum": decimals([k.ravel() @ golden(k.size) for k in layers])}


def reference(path):
    network = CapacityNetwork(path)
    states = network.states()
    outputs, inputs = network.values[network.output].size, int(np.prod(network.shape))
    cases = [case(network, states, 0, np.eye(outputs)[0]), case(network, states, "uniform", np.full(outputs, 1 / outputs))]
    assert all(abs(sum(layer) - 1) < 1e-10 for c in cases for layer in c["byPosition"]), "capacity is neither made nor lost"
    sine = np.array([math.sin(i) for i in range(inputs)])
    forward = [{"input": name, "output": network.run(x).tolist()} for name, x in (("sine", sine), ("golden", golden(inputs)))]
    return {"network": path.stem, "layers": [layer for layer, _, _ in states],
            "shapes": [list(planes(network.values[made]).shape) for _, made, _ in states], "cases": cases, "forward": forward}


def difference(a, b):
    """Largest relative difference of two documents' numbers; infinite where anything else differs."""
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return max((difference(a[key], b[key]) for key in a), default=0)
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return max((difference(x, y) for x, y in zip(a, b)), default=0)
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) / max(abs(a), abs(b), 1e-300)
    return 0 if a == b else math.inf


def main():
    check, arguments = "--check" in sys.argv, [a for a in sys.argv[1:] if a != "--check"]
    if len(arguments) != 2:
        sys.exit("usage: sample_capacity.py [--check] SAMPLES REFERENCE.json")
    samples, target = map(pathlib.Path, arguments)
    document = {"networks": [reference(path) for path in sorted(samples.glob("*.onnx"))]}
    if not check:
        return target.write_text(json.dumps(document) + "\n")
    worst = difference(document, json.loads(target.read_text()))
    print(f"largest relative difference: {worst:.1e}")
    if worst > 1e-11:
        sys.exit("the reference differs from the file")


if __name__ == "__main__":
    main()
