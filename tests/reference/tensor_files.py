#!/usr/bin/env python3
"""Writes tests/data/tensor_files.json: npz files as numpy writes them, safetensors files put together here by their specification, what
network each is with one input and the output that numpy computes; and DEFLATE streams by zlib with what they hold.

    /usr/bin/python3 tests/reference/tensor_files.py > tests/data/tensor_files.json"""
import base64
import io
import json
import struct
import sys
import zipfile
import zlib

import numpy as np

rng = np.random.default_rng(8)
CASES, STREAMS = [], []
DENSE, CONV, NORM, ACTIVATION, FLATTEN = 0, 1, 2, 3, 7
POINTWISE = {"relu": lambda x: np.maximum(x, 0), "tanh": np.tanh, "abs": np.abs, "sigmoid": lambda x: 1 / (1 + np.exp(-x))}
text = lambda data: base64.b64encode(data).decode()
draw = lambda *shape: np.round(rng.normal(size=shape), 2)


def safetensors(arrays, facts=None, types=None):
    header, data = ({"__metadata__": facts} if facts else {}), b""
    for name, values in arrays.items():
        kind = (types or {}).get(name, "F64")
        if kind == "BF16":
            raw = (np.asarray(values, "<f4").view("<u4") >> 16).astype("<u2").tobytes()
        else:
            raw = np.ascontiguousarray(values, {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8"}[kind]).tobytes()
        header[name] = {"dtype": kind, "shape": list(np.shape(values)), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    return struct.pack("<Q", len(head)) + head + data


def npz(arrays, compressed=False):
    out = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(out, **arrays)
    return out.getvalue()


def windows(x, size, stride, padding):
    """[channels][size...] under each output position of [channels][height][width]."""
    x = np.pad(x, ((0, 0), *[(p, p) for p in padding]))
    return np.lib.stride_tricks.sliding_window_view(x, size, (1, 2))[:, :: stride[0], :: stride[1]]


class Net:
    """Layers as the reader should make them, run as they are added."""

    def __init__(self, *shape):
        self.shape = list(shape)
        self.sample = draw(*shape)
        self.x, self.layers = self.sample, []

    def add(self, kind, x, **numbers):
        self.x = x
        self.layers.append({"kind": kind, "out": list(x.shape), **{key: np.asarray(value, float).ravel().tolist() for key, value in numbers.items()}})

    def dense(self, weight, bias=None):
        if self.x.shape != (1, 1, self.x.size):
            self.add(FLATTEN, self.x.reshape(1, 1, -1))
        y = weight @ self.x.ravel() + (0 if bias is None else bias)
        self.add(DENSE, y.reshape(1, 1, -1), weights=weight, **({} if bias is None else {"bias": bias}))
        return self

    def conv(self, weight, bias=None, stride=1, padding=0):
        weight4 = weight[:, :, None] if weight.ndim == 3 else weight
        flat = self.x.shape[1] == 1 and weight.ndim == 3
        seen = windows(self.x, weight4.shape[2:], (1 if flat else stride, stride), (0 if flat else padding, padding))
        groups = self.x.shape[0] // weight4.shape[1]
        out, each = len(weight) // groups, weight4.shape[1]
        y = np.concatenate([np.einsum("oikl,iyxkl->oyx", weight4[g * out:(g + 1) * out], seen[g * each:(g + 1) * each]) for g in range(groups)])
        self.add(CONV, y + (0 if bias is None else bias[:, None, None]), weights=weight, **({} if bias is None else {"bias": bias}))
        return self

    def norm(self, scale, shift, mean, variance, epsilon=1e-5):
        axis = (1, 1, -1) if self.x.shape[:2] == (1, 1) else (-1, 1, 1)
        scale, shift, mean, variance = (np.asarray(v, float).reshape(axis) for v in (scale, shift, mean, variance))
        self.add(NORM, scale * (self.x - mean) / np.sqrt(variance + epsilon) + shift, weights=scale, bias=shift, mean=mean, variance=variance)
        return self

    def bend(self, key="relu"):
        self.add(ACTIVATION, POINTWISE[key](self.x))
        self.layers[-1]["activation"] = key
        return self

    def case(self, name, data):
        CASES.append({"name": name, "file": text(data), "input": self.shape, "layers": self.layers,
                      "sample": self.sample.ravel().tolist(), "output": self.x.ravel().tolist()})


def dense_files():
    w1, b1, w2, b2 = draw(4, 3), draw(4), draw(2, 4), draw(2)
    net = lambda: Net(1, 1, 3).dense(w1, b1).bend().dense(w2, b2)
    torch = {"0.weight": w1, "0.bias": b1, "2.weight": w2, "2.bias": b2}
    net().case("torch sequential", safetensors(torch))
    net().case("torch sequential, tensors in another order", safetensors(dict(reversed(list(torch.items())))))
    net().case("torch names in npz", npz(torch))
    net().case("compressed", npz(torch, True))
    net().case("numbered names", safetensors({"fc1.weight": w1, "fc1.bias": b1, "fc2.weight": w2, "fc2.bias": b2}))
    net().case("nested names", safetensors({"net.layers.3.weight": w1, "net.layers.3.bias": b1, "net.layers.12.weight": w2, "net.layers.12.bias": b2}))
    net().case("keras kernels", npz({"dense_1/kernel:0": w1.T, "dense_1/bias:0": b1, "dense_2/kernel:0": w2.T, "dense_2/bias:0": b2}))
    net().case("letters, outputs first", npz({"W1": w1, "b1": b1, "W2": w2, "b2": b2}))
    net().case("letters, inputs first", npz({"W1": w1.T, "b1": b1, "W2": w2.T, "b2": b2}))
    net().case("underscores", npz({"w_1": w1, "b_1": b1, "w_2": w2, "b_2": b2}))
    net().case("unnamed", npz({"arr_0": w1.T, "arr_1": b1, "arr_2": w2.T, "arr_3": b2}))
    net().case("columns first", npz({key: np.asfortranarray(value) for key, value in torch.items()}))
    net().case("big-endian", npz({key: value.astype(">f8") for key, value in torch.items()}))
    Net(1, 1, 3).dense(w1).bend("tanh").dense(w2).case("no bias, tanh", safetensors({"0.weight": w1, "1.weight": w2}, {"activation": "tanh"}))
    Net(1, 1, 3).dense(w1).bend("abs").dense(w2).case("activation in npz", npz({"0.weight": w1, "1.weight": w2, "activation": np.array("abs")}))
    w3 = draw(3, 2)
    three = {"0.weight": w1, "1.weight": w2, "2.weight": w3}
    Net(1, 1, 3).dense(w1).bend("tanh").dense(w2).bend("sigmoid").dense(w3).case(
        "an activation for each place", npz({**three, "activation": np.array(["tanh", "sigmoid"])}))
    Net(1, 1, 3).dense(w1).dense(w2).dense(w3).case("no activation at all", safetensors(three, {"activation": "identity"}))
    many = {f"layers.{i}.weight": draw(2, 2) for i in range(12)}
    deep = Net(1, 1, 2)
    for i in range(12):
        (deep.bend() if i else deep).dense(many[f"layers.{i}.weight"])
    deep.case("ten comes behind two", safetensors(dict(sorted(many.items()))))
    for kind, shown in (("F32", np.float32), ("F16", np.float16)):
        as_kind = {key: value.astype(shown) for key, value in torch.items()}
        Net(1, 1, 3).dense(as_kind["0.weight"].astype(float), as_kind["0.bias"].astype(float)).bend().dense(
            as_kind["2.weight"].astype(float), as_kind["2.bias"].astype(float)).case(kind, safetensors(as_kind, types=dict.fromkeys(torch, kind)))
        for order in "<>":
            Net(1, 1, 3).dense(as_kind["0.weight"].astype(float), as_kind["0.bias"].astype(float)).bend().dense(
                as_kind["2.weight"].astype(float), as_kind["2.bias"].astype(float)).case(
                    f"npy {order}{kind}", npz({key: value.astype(np.dtype(shown).newbyteorder(order)) for key, value in as_kind.items()}))
    halves = np.array([[6.1035e-5, 5.96e-8, -0.0, 65504, -1.5, 3.0518e-5]], np.float16)
    Net(1, 1, 6).dense(halves.astype(float)).case("halves at the ends of their range", npz({"0.weight": halves}))
    brain = np.array([[1.5, -2.25, 3e30, 1e-38]], np.float32)
    cut = (brain.view(np.uint32) >> 16 << 16).view(np.float32).astype(float)
    Net(1, 1, 4).dense(cut).case("BF16", safetensors({"0.weight": brain}, types={"0.weight": "BF16"}))


def convolution_files():
    k1, c1, k2, w, b = draw(2, 1, 3), draw(2), draw(3, 2, 2), draw(2, 9), draw(2)
    Net(1, 1, 6).conv(k1, c1).bend().conv(k2).bend().dense(w, b).case(
        "signal", safetensors({"conv1.weight": k1, "conv1.bias": c1, "conv2.weight": k2, "fc1.weight": w, "fc1.bias": b}, {"input": "1, 6"}))
    k, n, w = draw(4, 1, 3, 3), [draw(4), draw(4), draw(4), np.abs(draw(4)) + 0.5], draw(3, 16)
    names = ["weight", "bias", "running_mean", "running_var"]
    arrays = {"0.weight": k, **{f"1.{name}": value for name, value in zip(names, n)}, "4.weight": w}
    Net(1, 4, 4).conv(k).norm(*n).bend().dense(w).case("picture with batch norm", npz({**arrays, "input": np.array([1, 4, 4])}))
    apart = {"conv1.weight": k, **{f"bn1.{name}": value for name, value in zip(names, n)}, "fc.weight": w}
    counter = {"bn1.num_batches_tracked": np.array(7)}
    Net(1, 4, 4).conv(k).norm(*n).bend().dense(w).case(
        "batch norm with a name of its own", safetensors({**apart, **counter}, {"input": "1,4,4"}, {"bn1.num_batches_tracked": "I64"}))
    Net(2, 5, 5).conv(draw_k := draw(4, 1, 3, 3), stride=2, padding=1).bend().conv(draw_l := draw(2, 4, 1, 1)).case(
        "groups, strides, padding", npz({"0.weight": draw_k, "1.weight": draw_l, "input": np.array([2, 5, 5]), "stride": np.array([2, 1]),
                                         "padding": np.array("1,0")}))
    w1, w2 = draw(3, 2), draw(2, 3)
    m = [draw(3), np.abs(draw(3)) + 0.5]
    Net(1, 1, 2).dense(w1).norm(np.ones(3), np.zeros(3), *m, 0.125).bend().dense(w2).case(
        "batch norm of a vector without scale and shift",
        safetensors({"0.weight": w1, "1.running_mean": m[0], "1.running_var": m[1], "3.weight": w2}, {"epsilon": "0.125"}))


def streams():
    contents = [b"", b"a", b"abcabcabcabc" * 30, bytes(range(256)) * 4, rng.bytes(3000), bytes(70000), bytes(rng.integers(0, 3, 5000).astype(np.uint8)),
                bytes((np.minimum(rng.geometric(0.05, 20000), 255)).astype(np.uint8)), b"the quick brown fox " * 300 + rng.bytes(200)]
    for data in contents:
        for level, strategy in (*(((0, 0),) if len(data) < 6000 else ()), (1, 0), (6, 0), (9, 0), (9, zlib.Z_FIXED), (6, zlib.Z_HUFFMAN_ONLY), (6, zlib.Z_RLE)):
            packer = zlib.compressobj(level, zlib.DEFLATED, -15, 8, strategy)
            packed = packer.compress(data[: len(data) // 2]) + packer.flush(zlib.Z_FULL_FLUSH) + packer.compress(data[len(data) // 2:]) + packer.flush()
            STREAMS.append({"stream": text(packed), "size": len(data), "crc": zlib.crc32(data)})


def named_files():
    """Names as PyTorch and Keras give them."""
    w1, b1, w2, b2 = draw(4, 3), draw(4), draw(2, 4), draw(2)
    keras = {"dense/kernel": w1.T, "dense/bias": b1, "dense_1/kernel": w2.T, "dense_1/bias": b2}
    Net(1, 1, 3).dense(w1, b1).bend().dense(w2, b2).case("keras kernels, the first without a number", npz(keras))
    names = ["weight", "bias", "running_mean", "running_var"]
    k1, n1, k2, n2 = draw(2, 1, 3, 3), [draw(2), draw(2), draw(2), np.abs(draw(2)) + 0.5], draw(3, 2, 2, 2), [draw(3), draw(3), draw(3), np.abs(draw(3)) + 0.5]
    f1, f2 = draw(4, 12), draw(5, 4)
    arrays = {"conv1.weight": k1, "conv2.weight": k2, "fc1.weight": f1, "fc2.weight": f2, "input": np.array([1, 5, 5])}
    for name, numbers in (("bn1", n1), ("bn2", n2)):
        arrays.update({f"{name}.{part}": value for part, value in zip(names, numbers)})
        arrays[f"{name}.num_batches_tracked"] = np.array(7)
    Net(1, 5, 5).conv(k1).norm(*n1).bend().conv(k2).norm(*n2).bend().dense(f1).bend().dense(f2).case(
        "batch norms behind convolutions with dense layers of their numbers, counters in npz", npz(arrays))
    scale = [np.ones(4), np.zeros(4), draw(4), np.abs(draw(4)) + 0.5]
    epsilon = np.float16(1e-3)
    Net(1, 1, 3).dense(w1).norm(*scale, float(epsilon)).bend().dense(w2).case(
        "a stated epsilon of half precision",
        npz({"0.weight": w1, "1.running_mean": scale[2], "1.running_var": scale[3], "3.weight": w2, "epsilon": epsilon}))


dense_files()
convolution_files()
streams()
named_files()
packer = zlib.compressobj(9, zlib.DEFLATED, -15)
zeros = {"stream": text(packer.compress(bytes(1 << 20)) + packer.flush()), "size": 1 << 20}
json.dump({"cases": CASES, "streams": STREAMS, "zeros": zeros}, sys.stdout, separators=(",", ":"))
