"""Windows over cells that Pad and Gather nodes have put around their input. Used by onnx_operators.py."""
import numpy as np
import torch.nn.functional as F

from onnx_case import Case, draw


def cells_of(count, before, after, mode):
    return np.pad(np.arange(count), (before, after), mode="reflect" if mode == "reflect" else "wrap")


def add_gathers(case, value, shape, pads, mode, listed):
    """A Gather along each padded axis; `listed`: its cells as numbers of a Constant, not as a tensor."""
    axes = len(shape) - 1
    for axis in range(axes):
        if pads[axis] + pads[axes + axis] == 0:
            continue
        cells = cells_of(shape[1 + axis], pads[axis], pads[axes + axis], mode).astype(np.int64)
        name = f"cells{axis}"
        if listed:
            case.node("Constant", [], name, value_ints=cells.tolist())
        else:
            case.weight(name, cells)
        value = case.node("Gather", [value, name], f"p{axis}", axis=2 + axis)
    return value


def add_padding(case, value, shape, pads, mode, by):
    if by != "Pad":
        return add_gathers(case, value, shape, pads, mode, by == "list")
    axes = len(shape) - 1
    case.weight("pads", np.array([0, 0] + pads[:axes] + [0, 0] + pads[axes:], dtype=np.int64))
    return case.node("Pad", [value, "pads"], "p", mode=mode)


def window_over(name, shape, op, kernel, pads, mode="reflect", by="Pad", **attributes):
    """A 1 by 1 convolution, padding nodes, then `op`; torch pads and computes the same."""
    case = Case(name, shape)
    axes, two = len(kernel), len(kernel) == 2
    first = case.weight("k", draw(2, shape[0], *[1] * axes))
    second = case.weight("w", draw(2, 2, *kernel)) if op == "Conv" else None
    case.node("Conv", ["x", "k"], "z")
    wide = add_padding(case, "z", shape, pads, mode, by)
    case.node(op, [wide] + (["w"] if op == "Conv" else []), "y", kernel_shape=kernel, **attributes)
    order = [p for axis in reversed(range(axes)) for p in (pads[axis], pads[axes + axis])]
    strides, dilations = attributes.get("strides", [1] * axes), attributes.get("dilations", [1] * axes)
    ceil = bool(attributes.get("ceil_mode", 0))

    def compute(x):
        conv = F.conv2d if two else F.conv1d
        z = F.pad(conv(x, first), order, mode="reflect" if mode == "reflect" else "circular")
        if op == "Conv":
            return conv(z, second, None, strides, 0, dilations)
        if op == "MaxPool":
            return (F.max_pool2d if two else F.max_pool1d)(z, kernel, strides, 0, dilations, ceil)
        return (F.avg_pool2d if two else F.avg_pool1d)(z, kernel, strides, 0, ceil)

    case.finish("y", compute)


def padded_windows():
    window_over("conv 2-D over reflected cells of both axes", [2, 5, 6], "Conv", [3, 2], [1, 2, 2, 0], strides=[2, 1])
    window_over("conv 2-D over gathered cells of both axes", [2, 4, 5], "Conv", [3, 3], [1, 2, 1, 0], "wrap", "Gather", dilations=[1, 2])
    window_over("conv 1-D over reflected cells, gathered from a list", [2, 5], "Conv", [3], [2, 1], "reflect", "list")
    window_over("conv 1-D over a ring of fifteen, gathered from a list", [2, 15], "Conv", [3], [1, 1], "wrap", "list", strides=[2])
    window_over("conv 2-D VALID over reflected cells", [2, 4, 5], "Conv", [2, 3], [1, 1, 1, 1], auto_pad="VALID")
    window_over("max pool 1-D over reflected cells", [2, 6], "MaxPool", [3], [2, 1], strides=[2])
    window_over("max pool 2-D over reflected cells", [2, 5, 6], "MaxPool", [3, 2], [1, 2, 2, 0], strides=[2, 3])
    window_over("max pool 2-D over a torus, ceil where the windows fit", [2, 4, 6], "MaxPool", [2, 3], [1, 0, 1, 1], "wrap", "Gather",
                strides=[2, 2], ceil_mode=1)
    window_over("max pool 2-D over reflected cells with dilations", [2, 5, 5], "MaxPool", [2, 3], [1, 2, 2, 1], dilations=[3, 2])
    window_over("average pool 1-D over a ring", [2, 7], "AveragePool", [4], [3, 1], "wrap", "list", strides=[3])
    window_over("average pool 2-D over reflected cells", [2, 5, 6], "AveragePool", [3, 2], [1, 2, 2, 0], strides=[1, 2])
    window_over("average pool 2-D over reflected cells, ceil where the windows fit", [2, 4, 4], "AveragePool", [2, 2], [1, 1, 1, 1],
                strides=[2, 2], ceil_mode=1)
