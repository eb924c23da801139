"""An ONNX network run in double, node by node, from its file alone (numpy, onnx; none of the project's code)."""
import math

import numpy as np
import onnx
from onnx import numpy_helper

POOLS = {"MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool"}
LINEAR = {"Conv", "Gemm", "MatMul"}
POINTWISE = {  # of a state and the node's attributes
    "Relu": lambda x, a: np.maximum(x, 0),
    "LeakyRelu": lambda x, a: np.where(x > 0, x, a.get("alpha", 0.01) * x),
    "Abs": lambda x, a: np.abs(x),
    "Tanh": lambda x, a: np.tanh(x),
    # As docs/network-files.md has them: they end where a float does.
    "Exp": lambda x, a: np.exp(np.minimum(x, 88)),
    "Log": lambda x, a: np.log(np.maximum(x, 1e-38)),
    "Sqrt": lambda x, a: np.sqrt(np.maximum(x, 1e-38)),
    "Reciprocal": lambda x, a: 1 / np.copysign(np.maximum(np.abs(x), 1e-19), x),
    "Erf": lambda x, a: np.vectorize(math.erf)(x),
    "Sin": lambda x, a: np.sin(x),
    "Cos": lambda x, a: np.cos(x),
    "Sigmoid": lambda x, a: (1 + np.tanh(x / 2)) / 2,
    "HardSigmoid": lambda x, a: np.clip(a.get("alpha", 0.2) * x + a.get("beta", 0.5), 0, 1),
    "Elu": lambda x, a: np.where(x > 0, x, a.get("alpha", 1.0) * np.expm1(np.minimum(x, 0))),
    # The paper's constants (Klambauer 2017), of which ONNX's text gives the nearest floats.
    "Selu": lambda x, a: 1.0507009873554804934193349852946
    * np.where(x > 0, x, 1.6732632423543772848170429916717 * np.expm1(np.minimum(x, 0))),
    "Softplus": lambda x, a: np.logaddexp(0, x),
    "HardSwish": lambda x, a: x * np.clip(x / 6 + 0.5, 0, 1),
    "Transpose": lambda x, a: x.transpose([axis - 1 for axis in a["perm"][1:]]),
    "Softmax": lambda x, a: np.exp(x - x.max()) / np.exp(x - x.max()).sum(),
    "Identity": lambda x, a: x,
    "Dropout": lambda x, a: x,
}


def attributes(node):
    return {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}


def planes(x):
    """[channel][y][x] of a tensor without its batch axis: a signal has height 1, a vector is one row."""
    return x.reshape((1,) * (3 - x.ndim) + x.shape) if x.ndim < 2 else x.reshape(x.shape[0], -1, x.shape[-1])


def unplaned(y, x):
    """[channel][y][x] without the height if x, a signal, has none."""
    return y if x.ndim == 3 else y[:, 0]


class Window:
    """Where each tap of a convolution or pooling reads: tap k of output x at input x * stride + k * dilation - before."""

    def __init__(self, node, shape, kernel=None):
        """shape: (height, width) of the input; kernel: that of the weights."""
        a, signal = attributes(node), kernel is not None and len(kernel) == 1
        if node.op_type.startswith("Global"):
            a = {"kernel_shape": shape}
        size = list(a.get("kernel_shape", kernel))
        rank = len(size)
        stride, dilation = list(a.get("strides", [1] * rank)), list(a.get("dilations", [1] * rank))
        pads = list(a.get("pads", [0] * (2 * rank)))
        if rank == 1 or signal:
            size, stride, dilation, pads = [1] + size, [1] + stride, [1] + dilation, [0, pads[0], 0, pads[1]]
        self.size, self.stride, self.dilation = size, stride, dilation
        span = [d * (k - 1) + 1 for d, k in zip(dilation, size)]
        auto = a.get("auto_pad", b"NOTSET").decode()
        if auto.startswith("SAME"):
            need = [max(0, (-(-n // s) - 1) * s + w - n) for n, s, w in zip(shape, stride, span)]
            before = [(p + 1) // 2 if auto == "SAME_LOWER" else p // 2 for p in need]
            pads = before + [p - b for p, b in zip(need, before)]
        self.before, after = pads[:2], pads[2:]
        rounded = [n + b + e - w + (s - 1 if a.get("ceil_mode", 0) else 0)
                   for n, b, e, w, s in zip(shape, self.before, after, span, stride)]
        self.out = [r // s + 1 for r, s in zip(rounded, stride)]
        self.shape = shape
        self.padded = [max(n + b, (o - 1) * s + w) for n, b, o, s, w in zip(shape, self.before, self.out, stride, span)]

    def taps(self):
        """((ky, kx), slices of the padded plane that the tap reads, one cell an output position)."""
        for ky in range(self.size[0]):
            for kx in range(self.size[1]):
                first = ky * self.dilation[0], kx * self.dilation[1]
                yield (ky, kx), tuple(slice(f, f + (o - 1) * s + 1, s) for f, o, s in zip(first, self.out, self.stride))

    def pad(self, x, value=0.0):
        grid = np.full((x.shape[0], *self.padded), value)
        self.crop(grid)[...] = x
        return grid

    def crop(self, grid):
        return grid[(slice(None), *(slice(b, b + n) for b, n in zip(self.before, self.shape)))]

    def existing(self):
        """{tap: [y][x] 1 where it reads a cell of the input, 0 on padding}."""
        cells = self.pad(np.ones((1, *self.shape)))[0]
        return {tap: cells[at] for tap, at in self.taps()}


class Network:
    def __init__(self, source):
        graph = (source if isinstance(source, onnx.ModelProto) else onnx.load(str(source))).graph
        self.constants = {t.name: numpy_helper.to_array(t).astype(np.float64) for t in graph.initializer}
        for node in graph.node:
            if node.op_type == "Constant":
                self.constants[node.output[0]] = numpy_helper.to_array(attributes(node)["value"]).astype(np.float64)
        self.nodes = [node for node in graph.node if node.op_type != "Constant"]
        self.producer = {node.output[0]: node for node in self.nodes}
        self.input = next(v for v in graph.input if v.name not in self.constants)
        self.shape = [d.dim_value for d in self.input.type.tensor_type.shape.dim][1:]
        self.output = graph.output[0].name
        self.values = {}
        self.run(np.zeros(self.shape))

    def computed(self, node):
        """Names of the node's inputs that are no constants."""
        return [name for name in node.input if name and name not in self.constants]

    def consumers(self, name):
        return [node for node in self.nodes if name in node.input]

    def run(self, x):
        """The output at the input x; every tensor's value is kept in `values`."""
        self.values = {self.input.name: np.asarray(x, dtype=np.float64).reshape(self.shape)}
        for node in self.nodes:
            self.values[node.output[0]] = self.evaluate(node, [self.values[name] for name in self.computed(node)])
        return self.values[self.output]

    def evaluate(self, node, inputs):
        x, kind, a = inputs[0], node.op_type, attributes(node)
        constants = [self.constants[name] for name in node.input if name in self.constants]
        if kind == "Conv":
            return self.convolution(node, x)
        if kind in POOLS:
            return self.pooling(node, x)
        if kind in ("Gemm", "MatMul"):
            bias = constants[1] if len(constants) > 1 else 0.0
            return a.get("alpha", 1.0) * self.matrix(node) @ x + a.get("beta", 1.0) * bias
        if kind == "BatchNormalization":
            gamma, beta, mean, var = (c.reshape((-1,) + (1,) * (x.ndim - 1)) for c in constants)
            return (x - mean) / np.sqrt(var + a.get("epsilon", 1e-5)) * gamma + beta
        if kind == "LayerNormalization":
            axes = tuple(range(a["axis"] - 1 if a["axis"] > 0 else x.ndim - 1, x.ndim))
            deviation = x - x.mean(axis=axes, keepdims=True)
            spread = np.sqrt((deviation**2).mean(axis=axes, keepdims=True) + a.get("epsilon", 1e-5))
            return deviation / spread * constants[0] + constants[1]
        if kind == "Add":
            return x + (inputs[1] if len(inputs) > 1 else constants[0].reshape(constants[0].shape[-x.ndim:]))
        if kind == "Mul":
            return x * (inputs[1] if len(inputs) > 1 else constants[0])
        if kind == "Pow":
            return x ** constants[0]
        if kind == "Gather":
            return np.take(x, constants[0].astype(int), axis=a["axis"] - 1)
        if kind == "Pad":
            pads = constants[0].astype(int).reshape(2, -1)[:, 1:]
            return np.pad(x, list(zip(*pads)), mode=a["mode"].decode())
        if kind in ("Flatten", "Reshape"):
            return x.ravel() if kind == "Flatten" else x.reshape([int(n) for n in constants[0][1:]])
        if kind == "Clip":
            return np.clip(x, *(constants or (a["min"], a["max"])))
        if kind == "PRelu":
            return np.where(x > 0, x, constants[0] * x)
        return POINTWISE[kind](x, a)

    def matrix(self, node):
        """[output][input] of a dense layer."""
        w = self.constants[node.input[1]]
        return w if node.op_type == "Gemm" and attributes(node).get("transB", 0) else w.T

    def kernel(self, node):
        """([out][in / groups][ky][kx], window, groups) of a convolution."""
        w = self.constants[node.input[1]]
        window = self.window(node)
        return w.reshape(w.shape[0], w.shape[1], *window.size), window, attributes(node).get("group", 1)

    def window(self, node):
        weights = self.constants[node.input[1]].shape[2:] if node.op_type == "Conv" else None
        return Window(node, planes(self.values[node.input[0]]).shape[1:], weights)

    def convolution(self, node, x):
        w, window, groups = self.kernel(node)
        grid, y = window.pad(planes(x)), np.zeros((w.shape[0], *window.out))
        for outs, ins in group_slices(w, groups):
            for (ky, kx), at in window.taps():
                y[outs] += np.einsum("oi,iyx->oyx", w[outs, :, ky, kx], grid[(ins, *at)])
        if len(node.input) > 2 and node.input[2]:
            y += self.constants[node.input[2]][:, None, None]
        return unplaned(y, x)

    def pooling(self, node, x):
        window, largest = self.window(node), node.op_type.endswith("MaxPool")
        grid = window.pad(planes(x), -np.inf if largest else 0.0)
        cells = np.array([grid[(slice(None), *at)] for _, at in window.taps()])
        if largest:
            return unplaned(cells.max(axis=0), x)
        padding_counts = attributes(node).get("count_include_pad", 0)
        return unplaned(cells.sum(axis=0) / (len(cells) if padding_counts else sum(window.existing().values())), x)


def group_slices(w, groups):
    """(output channels, input channels) of each group of a kernel [out][in / groups]…"""
    outs, ins = w.shape[0] // groups, w.shape[1]
    return [(slice(g * outs, (g + 1) * outs), slice(g * ins, (g + 1) * ins)) for g in range(groups)]
