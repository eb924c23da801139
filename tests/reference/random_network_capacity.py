#!/usr/bin/python3
"""Compares the program's capacities of random small networks with onnx_capacity.py, which shares no code with it.

The networks are convolutional, with groups, dilation, strides, padding of every kind, poolings, batch norms before and behind, dead
channels, residual blocks with identity and projection skips, blocks in blocks. Every state's capacity is compared, summed over channels
and of one channel; the largest difference is printed. Run by hand (/usr/bin/python3 with python3-numpy, python3-onnx):
    tests/reference/random_network_capacity.py build/release/kappaflow [NETWORKS [FIRST SEED]]
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from onnx_capacity import CapacityNetwork
from onnx_network import planes

TOLERANCE = 1e-9


class RandomNetwork:
    """Grows a graph node by node; `shape` is that of the tensor `at`, [channels, height, width]."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.nodes, self.tensors = [], []
        self.signal = self.chance(0.1)
        self.shape = [self.among(1, 2, 3), 1 if self.signal else self.among(4, 6, 7, 9), self.among(5, 6, 8, 11)]
        self.input_shape, self.at = self.onnx_shape(), "pixels"
        for _ in range(self.among(1, 2, 3, 4)):
            self.part()
        self.top()

    def chance(self, p):
        return self.rng.random() < p

    def among(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def onnx_shape(self):
        return [self.shape[0], self.shape[2]] if self.signal else list(self.shape)

    def add(self, kind, inputs=None, **attributes):
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs or [self.at], [name + ".out"], name=name, **attributes))
        self.at = name + ".out"

    def constant(self, values, integers=False):
        name = f"c{len(self.tensors)}"
        self.tensors.append(numpy_helper.from_array(np.asarray(values, dtype=np.int64 if integers else np.float32), name))
        return name

    def part(self):
        kind = self.among("conv", "conv", "conv", "pool", "block", "block", "norm")
        if kind == "conv":
            self.conv_norm_activation()
        elif kind == "pool":
            self.pool()
        elif kind == "block":
            self.block(depth=0)
        elif self.nodes and self.nodes[-1].op_type != "BatchNormalization":
            self.norm()

    def conv_norm_activation(self):
        self.conv()
        if self.chance(0.5):
            self.norm()
        if self.chance(0.6):
            self.activation()
        if self.chance(0.2) and self.nodes[-1].op_type != "BatchNormalization":
            self.norm()

    def conv(self, keeps_size=False, outputs=None, stride=None):
        """A convolution; with a given stride s, or keeps_size (s = 1), an axis of n cells gets ⌈n / s⌉."""
        window, out = self.conv_window(1 if keeps_size else stride)
        groups = self.among(*[g for g in (1, 1, 2, 3) if self.shape[0] % g == 0 and (outputs or g) % g == 0])
        outputs = outputs or groups * self.among(1, 2, 3)
        weights = self.rng.normal(size=(outputs, self.shape[0] // groups, *window["kernel_shape"]))
        if self.chance(0.15):
            weights[self.rng.integers(outputs)] = 0
        bias = [self.constant(self.rng.normal(size=outputs))] if self.chance(0.5) else []
        self.add("Conv", [self.at, self.constant(weights)] + bias, group=groups, **window)
        self.shape = [outputs] + ([1] if self.signal else []) + out

    def conv_window(self, stride):
        cells = self.onnx_shape()[1:]
        size, dilation = [min(self.among(1, 2, 3, 3, 3), n) for n in cells], [self.among(1, 1, 2) for _ in cells]
        strides = [stride or self.among(1, 1, 2) for _ in cells]
        window = {"kernel_shape": size, "dilations": dilation, "strides": strides}
        span = [d * (k - 1) + 1 for d, k in zip(dilation, size)]
        if self.chance(0.3):
            return window | {"auto_pad": self.among("SAME_UPPER", "SAME_LOWER")}, [-(-n // s) for n, s in zip(cells, strides)]
        before, after = [(w - 1) // 2 for w in span], [w // 2 for w in span]
        if not stride:
            before, after = ([self.among(p, 0, int(self.rng.integers(w))) for p, w in zip(pads, span)] for pads in (before, after))
            after = [max(a, w - n - b) for a, w, n, b in zip(after, span, cells, before)]
        out = [(n + b + a - w) // s + 1 for n, b, a, w, s in zip(cells, before, after, span, strides)]
        return window | {"pads": before + after}, out

    def norm(self):
        count = self.shape[0]
        gamma = self.rng.normal(1, 0.5, count) * (self.rng.random(count) > 0.05)
        values = [gamma, self.rng.normal(size=count), self.rng.normal(size=count), self.rng.uniform(0.1, 3, count)]
        self.add("BatchNormalization", [self.at] + [self.constant(v) for v in values], epsilon=float(self.among(1e-5, 1e-3)))

    def activation(self):
        kind = self.among("Relu", "Relu", "LeakyRelu", "PRelu", "Tanh", "Sigmoid", "Abs", "HardSigmoid", "Clip", "Dropout", "Identity")
        inputs = {"PRelu": lambda: [self.at, self.constant(np.full((1,) * len(self.onnx_shape()), 0.2))],
                  "Clip": lambda: [self.at, self.constant(-1.0), self.constant(1.0)]}
        self.add(kind, inputs.get(kind, lambda: None)(), **({"alpha": 0.1} if kind == "LeakyRelu" else {}))

    def pool(self):
        spatial = self.onnx_shape()[1:]
        size = [min(self.among(1, 2, 3), n) for n in spatial]
        strides = [self.among(1, 2) for _ in size]
        pads = [int(self.rng.integers(k)) for k in size * 2] if self.chance(0.5) else [0] * (2 * len(size))
        self.add(self.among("MaxPool", "AveragePool"), kernel_shape=size, strides=strides, pads=pads)
        rank = len(size)
        out = [(n + pads[i] + pads[rank + i] - k) // s + 1 for i, (n, k, s) in enumerate(zip(spatial, size, strides))]
        self.shape = self.shape[:1] + ([1] if self.signal else []) + out

    def block(self, depth, keeps_size=False):
        """activation?(skip(x) + branch(x)); the skip is bare unless shapes change."""
        fork, shape = self.at, list(self.shape)
        stride, outputs = (1 if keeps_size else self.among(1, 1, 2)), self.among(shape[0], shape[0], 2, 3, 4)
        self.branch(depth, stride, outputs)
        branch, joined = self.at, list(self.shape)
        self.at, self.shape = fork, shape
        if joined != shape or self.chance(0.2):
            self.conv(outputs=outputs, stride=stride)
            if self.chance(0.5):
                self.norm()
        self.add("Add", [self.at, branch] if self.chance(0.5) else [branch, self.at])
        if self.chance(0.7):
            self.activation()

    def branch(self, depth, stride, outputs):
        if self.chance(0.2):
            self.norm()
            self.activation()
        if self.chance(0.6):
            self.conv(keeps_size=True)
            if self.chance(0.5):
                self.norm()
            self.activation()
        if self.chance(0.3) and depth < 2:
            self.block(depth + 1, keeps_size=True)
        self.conv(outputs=outputs, stride=stride)
        if self.chance(0.5):
            self.norm()

    def top(self):
        if self.chance(0.3):
            self.add("GlobalAveragePool")
            self.shape[1:] = [1, 1]
        units = int(np.prod(self.shape))
        if self.chance(0.5):
            self.add("Flatten")
        else:
            self.add("Reshape", [self.at, self.constant([self.among(0, 1), self.among(-1, units)], integers=True)])
        self.outputs = self.among(2, 3, 5)
        weights = self.rng.normal(size=(self.outputs, units))
        if self.chance(0.5):
            self.add("Gemm", [self.at, self.constant(weights)], transB=1)
        else:
            self.add("MatMul", [self.at, self.constant(weights.T)])
            self.add("Add", [self.constant(self.rng.normal(size=self.outputs)), self.at])

    def model(self):
        pixels = helper.make_tensor_value_info("pixels", TensorProto.FLOAT, [1, *self.input_shape])
        scores = helper.make_tensor_value_info(self.at, TensorProto.FLOAT, [1, self.outputs])
        graph = helper.make_graph(self.nodes, "random", [pixels], [scores], self.tensors)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
        onnx.checker.check_model(model, full_check=True)
        return model


def report(program, path, *settings):
    command = [program, "run", "capacity-diffusion", "--network", str(path), "--format", "json"]
    for setting in settings:
        command += ["--set", setting]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)


def states_of(report, name):
    """The report's states [layer] as planes, from an array [layer, y, x] or [layer, position] padded with null."""
    array = report["arrays"][name]
    values = np.array([np.nan if v is None else v for v in array["values"]]).reshape(array["shape"])
    if values.ndim == 3:
        sizes = zip(report["arrays"]["heights"]["values"], report["arrays"]["widths"]["values"])
        return [layer[:int(height), :int(width)] for layer, (height, width) in zip(values, sizes)]
    return [row[~np.isnan(row)] for row in values]


def gap(have, want):
    if np.size(have) != np.size(want):
        raise RuntimeError(f"a state has {np.shape(have)} values, not {np.shape(want)}")
    return float(np.max(np.abs(np.ravel(have) - np.ravel(want)), initial=0))


def compare(program, seed, path):
    """Largest difference of any state's capacity, from one output unit and from all."""
    onnx.save(RandomNetwork(seed).model(), str(path))
    network = CapacityNetwork(path)
    outputs, states = network.values[network.output].size, network.states()
    unit, channel = seed % outputs, seed % 3
    worst = 0.0
    for top, settings in ((np.eye(outputs)[unit], ["top=dirac", f"topIndex={unit}"]), (np.full(outputs, 1 / outputs), ["top=uniform"])):
        flow = network.capacities(top)
        want = [planes(flow[last].reshape(network.values[made].shape)) for _, made, last in states]
        have = report(program, path, *settings)
        grid = len(have["arrays"]["capacity"]["shape"]) == 3
        capacity = states_of(have, "capacity")
        if len(capacity) != len(want):
            raise RuntimeError(f"the report has {len(capacity)} states, not {len(want)}: {[name for name, *_ in states]}")
        worst = float(np.max([worst] + [gap(h, w.sum(axis=0) if grid else w) for h, w in zip(capacity, want)]))
        if grid:
            one = report(program, path, *settings, f"channel={channel}")["arrays"]["channelCapacity"]
            one = states_of(have | {"arrays": have["arrays"] | {"channelCapacity": one}}, "channelCapacity")
            worst = float(np.max([worst] + [gap(h, w[channel]) for h, w in zip(one, want) if channel < len(w)]))
    return worst


def main():
    if not 2 <= len(sys.argv) <= 4:
        sys.exit("usage: random_network_capacity.py PROGRAM [NETWORKS [FIRST SEED]]")
    program, count, first = sys.argv[1], *(int(a) for a in sys.argv[2:] + ["200", "1"][len(sys.argv) - 2:])
    worst, failed = 0.0, 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            try:
                difference = compare(program, seed, pathlib.Path(folder) / "random.onnx")
            except RuntimeError as error:
                print(f"seed {seed}: {error}")
                failed += 1
                continue
            worst = max(worst, difference)
            if not difference <= TOLERANCE:
                print(f"seed {seed}: the capacities differ by {difference:.1e}")
                failed += 1
    print(f"{count} networks, {failed} at odds, largest difference {worst:.1e}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
