#!/usr/bin/python3
"""Small networks as PyTorch really exports them, each with inputs and the outputs that PyTorch computes in double precision.

    tests/reference/onnx_exported.py tests/data/networks    writes NAME.onnx and NAME.json
Run by /usr/bin/python3 (Debian's python3-onnx and python3-torch). Weights are drawn from fixed seeds; inputs are floats, written with the
fewest digits that give the same float.
"""
import json
import pathlib
import sys
import warnings

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Residual(nn.Module):
    """Basic block of ResNets, with a projection where shapes change."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(),
            nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs))
        same = inputs == outputs and stride == 1
        self.skip = nn.Identity() if same else nn.Sequential(
            nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        return F.relu(self.body(x) + self.skip(x))


class DenseBlock(nn.Module):
    """DenseNet: every layer reads all before it."""

    def __init__(self, channels, growth, layers):
        super().__init__()
        self.layers = nn.ModuleList([
            nn.Sequential(nn.BatchNorm2d(channels + i * growth), nn.ReLU(),
                          nn.Conv2d(channels + i * growth, growth, 3, padding=1, bias=False)) for i in range(layers)])

    def forward(self, x):
        for layer in self.layers:
            x = torch.cat([x, layer(x)], 1)
        return x


class Fire(nn.Module):
    """SqueezeNet."""

    def __init__(self, inputs, squeezed, expanded):
        super().__init__()
        self.s = nn.Conv2d(inputs, squeezed, 1)
        self.e1, self.e3 = nn.Conv2d(squeezed, expanded, 1), nn.Conv2d(squeezed, expanded, 3, padding=1)

    def forward(self, x):
        x = F.relu(self.s(x))
        return torch.cat([F.relu(self.e1(x)), F.relu(self.e3(x))], 1)


class SqueezeExcite(nn.Module):
    """EfficientNet, MobileNetV3: a gate made of the features' own means."""

    def __init__(self, channels, reduced):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1, groups=channels)
        self.a, self.b = nn.Conv2d(channels, reduced, 1), nn.Conv2d(reduced, channels, 1)

    def forward(self, x):
        x = F.silu(self.conv(x))
        return x * torch.sigmoid(self.b(F.relu(self.a(F.adaptive_avg_pool2d(x, 1)))))


class ConvNeXt(nn.Module):
    """Layer norm over channels, GELU, layer scale, skip."""

    def __init__(self, channels):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(channels, channels, 7, padding=3, groups=channels), nn.LayerNorm(channels)
        self.a, self.b = nn.Linear(channels, 4 * channels), nn.Linear(4 * channels, channels)
        self.scale = nn.Parameter(torch.full((channels,), 0.5))

    def forward(self, x):
        y = self.norm(self.conv(x).permute(0, 2, 3, 1))
        return x + (self.scale * self.b(F.gelu(self.a(y)))).permute(0, 3, 1, 2)


class WaveNet(nn.Module):
    """Gated or not, dilated, causal, with residual and skip outputs."""

    def __init__(self, channels, layers, gated):
        super().__init__()
        self.gated, self.start = gated, nn.Conv1d(1, channels, 1)
        self.filter = nn.ModuleList([nn.Conv1d(channels, channels, 2, dilation=2**k) for k in range(layers)])
        self.gate = nn.ModuleList([nn.Conv1d(channels, channels, 2, dilation=2**k) for k in range(layers)])
        self.skip = nn.ModuleList([nn.Conv1d(channels, channels, 1) for _ in range(layers)])
        self.end = nn.Conv1d(channels, 1, 1)

    def forward(self, x):
        x, total = self.start(x), 0
        for k, (f, g, s) in enumerate(zip(self.filter, self.gate, self.skip)):
            padded = F.pad(x, (2**k, 0))
            h = torch.tanh(f(padded)) * torch.sigmoid(g(padded)) if self.gated else F.relu(f(padded))
            total, x = total + s(h), x + h
        return self.end(F.relu(total))


class Attention(nn.Module):
    """One pre-norm transformer block written out, so that every step is a plain operator."""

    def __init__(self, d, heads, hidden):
        super().__init__()
        self.h, self.n1, self.n2 = heads, nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.o, self.a, self.b = nn.Linear(d, 3 * d), nn.Linear(d, d), nn.Linear(d, hidden), nn.Linear(hidden, d)

    def forward(self, x):
        n, t, d = x.shape
        q, k, v = (y.reshape(n, t, self.h, d // self.h).transpose(1, 2) for y in self.qkv(self.n1(x)).chunk(3, -1))
        a = torch.softmax(q @ k.transpose(-1, -2) / (d // self.h)**0.5, -1)
        x = x + self.o((a @ v).transpose(1, 2).reshape(n, t, d))
        return x + self.b(F.gelu(self.a(self.n2(x))))


class ShuffleNet(nn.Module):
    """Group convolutions whose channels change places between them."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv2d(3, 8, 3, 2, 1), nn.Conv2d(8, 8, 3, 1, 1, groups=4)
        self.c, self.end = nn.Conv2d(4, 4, 1), nn.Linear(8, 5)

    def forward(self, x):
        x = F.relu(self.b(F.relu(self.a(x))))
        n, c, h, w = x.shape
        left, right = x.view(n, 4, c // 4, h, w).transpose(1, 2).reshape(n, c, h, w).chunk(2, 1)
        return self.end(torch.cat([left, F.relu(self.c(right))], 1).mean((2, 3)))


class UNet(nn.Module):
    """Down, up by a transposed convolution and by shuffled pixels, and across."""

    def __init__(self):
        super().__init__()
        self.a, self.down = nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(4, 8, 3, 2, 1)
        self.up, self.end = nn.ConvTranspose2d(8, 4, 3, 2, 1, output_padding=1, groups=2), nn.Conv2d(10, 2, 1)

    def forward(self, x):
        a = F.relu(self.a(x))
        b = F.relu(self.down(a))
        return self.end(torch.cat([a, F.relu(self.up(b)), F.pixel_shuffle(b, 2)], 1))


class VisionTransformer(nn.Module):
    """Patches, a class token, positions, PyTorch's own attention."""

    def __init__(self, d=8):
        super().__init__()
        self.patches, self.token = nn.Conv2d(1, d, 4, 4), nn.Parameter(torch.zeros(1, 1, d))
        self.places, self.n1, self.n2 = nn.Parameter(torch.zeros(1, 5, d)), nn.LayerNorm(d), nn.LayerNorm(d)
        self.attention = nn.MultiheadAttention(d, 2, batch_first=True)
        self.rest, self.end = nn.Sequential(nn.Linear(d, 16), nn.GELU(), nn.Linear(16, d)), nn.Linear(d, 3)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.places
        y = self.n1(x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        return self.end((x + self.rest(self.n2(x)))[:, 0])


class Windows(nn.Module):
    """Swin's: attention inside windows that become the batch, then a cyclic shift."""

    def __init__(self, d=4):
        super().__init__()
        self.a, self.norm = nn.Linear(d, d), nn.LayerNorm(d)

    def forward(self, x):
        n, h, w, c = x.shape
        y = self.norm(self.a(x.view(n, h // 2, 2, w // 2, 2, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 4, c)))
        y = torch.softmax(y @ y.transpose(-2, -1), -1) @ y
        y = y.view(n, h // 2, w // 2, 2, 2, c).permute(0, 1, 3, 2, 4, 5).reshape(n, h, w, c)
        return torch.roll(x + y, (-1, -1), (1, 2)).mean((1, 2))


class Einsum(nn.Module):
    """Attention as timm and einsum have it."""

    def __init__(self, d=8, heads=2):
        super().__init__()
        self.h, self.qkv, self.w = heads, nn.Linear(d, 3 * d), nn.Parameter(torch.zeros(d, 3))

    def forward(self, x):
        n, t, d = x.shape
        q, k, v = self.qkv(x).reshape(n, t, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        a = torch.softmax(torch.einsum("bhid,bhjd->bhij", q, k), -1)
        return torch.einsum("btd,de->bte", torch.einsum("bhij,bhjd->bihd", a, v).reshape(n, t, d), self.w)


class Reductions(nn.Module):
    """Sums, means and maxima over axes of every kind, rows side by side, other ranges of clipping."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c, self.end = nn.Conv2d(1, 4, 3), nn.Conv2d(1, 4, 3), nn.Conv2d(2, 3, 3), nn.Linear(12, 2)

    def forward(self, x):
        a, b = self.a(x), self.b(x)
        y = torch.cat([torch.max(a, b), torch.min(a, b)**2, a.clamp(-0.5, 0.7), b.clamp(max=0.3)], 2)
        z = self.c(torch.cat([y.mean(1, keepdim=True), y.amax(1, keepdim=True)], 1))
        return self.end(torch.cat([z.sum((2, 3)), z.amax((2, 3)), z.mean(1).sum(1), z.sum(1).amax(1).view(-1, 2, 2).sum(1)], 1))


class GatedBlock(nn.Module):
    """Llama's: norm by the root mean square, then a layer of gates."""

    def __init__(self, d=6, hidden=10):
        super().__init__()
        self.scale, self.end = nn.Parameter(torch.ones(d)), nn.Linear(d, 2)
        self.a, self.b, self.c = nn.Linear(d, hidden), nn.Linear(d, hidden), nn.Linear(hidden, d)

    def forward(self, x):
        y = self.scale * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)
        return self.end(x + self.c(F.silu(self.a(y)) * self.b(y)))


class Pointwise(nn.Module):
    """Functions without a layer of their own, quotients, norms, linear interpolation."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Conv2d(1, 3, 3), nn.Conv2d(1, 3, 1), nn.Linear(3, 3)

    def forward(self, x):
        a = F.interpolate(torch.sin(self.a(x)), scale_factor=2, mode="bilinear")
        b = F.interpolate(F.softsign(self.b(x[:, :, :3, :4])), scale_factor=(4, 3), mode="bilinear")
        y = F.logsigmoid(a[:, :, :, :10]) * torch.cos(b[:, :, :8, :10]) / (1 + b[:, :, :8, :10].abs().sqrt())
        z = F.normalize(y.mean(2), dim=1)
        return self.c((z + torch.erf(z).exp()).amin(2)) / (2 + z.abs().sum(2))


def mlp(act):
    return nn.Sequential(nn.Linear(2, 24), act, nn.Linear(24, 24), act, nn.Linear(24, 1)), (2,)


def head(channels):
    return [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 5)]


class Recurrent(nn.Module):
    """A recurrent network and a linear reading of its states: all of them, their mean, the last one, or the last of the upper layer."""

    def __init__(self, net, reads):
        super().__init__()
        self.net, self.reads = net, reads
        self.out = nn.Linear(net.hidden_size * (2 if net.bidirectional else 1), 3)

    def forward(self, x):
        states, last = self.net(x)
        if self.reads == "all":
            return self.out(states).flatten(1)
        if self.reads == "upper":
            return self.out((last[0] if isinstance(last, tuple) else last)[-1])
        return self.out(states.mean(1) if self.reads == "mean" else states[:, -1])


NETWORKS = {
    "mlp_relu": mlp(nn.ReLU()), "mlp_gelu": mlp(nn.GELU()), "mlp_silu": mlp(nn.SiLU()), "mlp_elu": mlp(nn.ELU()),
    "mlp_softplus": mlp(nn.Softplus()), "mlp_hardswish": mlp(nn.Hardswish()), "mlp_selu": mlp(nn.SELU()), "mlp_mish": mlp(nn.Mish()),
    "mlp_layernorm": (nn.Sequential(
        nn.Linear(2, 24), nn.LayerNorm(24), nn.ReLU(), nn.Linear(24, 24), nn.LayerNorm(24), nn.ReLU(), nn.Linear(24, 1)), (2,)),
    "mlp_batchnorm": (nn.Sequential(
        nn.Flatten(), nn.Linear(64, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(), nn.Linear(32, 5), nn.LogSoftmax(1)), (1, 8, 8)),
    "lenet_tanh": (nn.Sequential(
        nn.Conv2d(1, 4, 5, padding=2), nn.Tanh(), nn.AvgPool2d(2), nn.Conv2d(4, 8, 3), nn.Tanh(), nn.AvgPool2d(2), nn.Flatten(),
        nn.Linear(32, 16), nn.Tanh(), nn.Linear(16, 5), nn.Softmax(1)), (1, 12, 12)),
    "resnet": (nn.Sequential(
        nn.Conv2d(3, 6, 3, padding=1, bias=False), nn.BatchNorm2d(6), nn.ReLU(), nn.MaxPool2d(3, 2, 1), Residual(6, 6, 1),
        Residual(6, 12, 2), *head(12)), (3, 16, 16)),
    "densenet": (nn.Sequential(
        nn.Conv2d(3, 6, 3, padding=1), DenseBlock(6, 4, 3), nn.BatchNorm2d(18), nn.ReLU(), nn.Conv2d(18, 9, 1), nn.AvgPool2d(2),
        DenseBlock(9, 4, 2), nn.ReLU(), *head(17)), (3, 12, 12)),
    "squeezenet": (nn.Sequential(
        nn.Conv2d(3, 8, 3, stride=2), nn.ReLU(), nn.MaxPool2d(3, 2, ceil_mode=True), Fire(8, 4, 6), Fire(12, 4, 6), nn.Conv2d(12, 5, 1),
        nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()), (3, 20, 20)),
    "mobilenet": (nn.Sequential(
        nn.Conv2d(3, 6, 3, 2, 1), nn.BatchNorm2d(6), nn.ReLU6(), nn.Conv2d(6, 6, 3, 1, 1, groups=6), nn.BatchNorm2d(6), nn.ReLU6(),
        nn.Conv2d(6, 10, 1), nn.Hardswish(), *head(10)), (3, 16, 16)),
    "squeeze_excite": (nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), SqueezeExcite(8, 4), SqueezeExcite(8, 4), *head(8)), (3, 10, 10)),
    "convnext": (nn.Sequential(nn.Conv2d(3, 6, 2, 2), ConvNeXt(6), ConvNeXt(6), *head(6)), (3, 16, 16)),
    "wavenet": (WaveNet(4, 5, False), (1, 48)),
    "wavenet_gated": (WaveNet(4, 5, True), (1, 48)),
    "transformer": (nn.Sequential(nn.Linear(3, 16), Attention(16, 4, 32), Attention(16, 4, 32), nn.Linear(16, 3)), (10, 3)),
    "shufflenet": (ShuffleNet(), (3, 10, 10)), "unet": (UNet(), (1, 8, 8)), "vision_transformer": (VisionTransformer(), (1, 8, 8)),
    "windows": (Windows(), (4, 4, 4)), "einsum": (Einsum(), (5, 8)), "reductions": (Reductions(), (1, 8, 8)),
    "gated_block": (GatedBlock(), (4, 6)), "pointwise": (Pointwise(), (1, 6, 7)),
    "lstm": (Recurrent(nn.LSTM(4, 5, batch_first=True), "last"), (9, 4)),
    "lstm_both_ways": (Recurrent(nn.LSTM(3, 4, num_layers=2, bidirectional=True, batch_first=True), "all"), (5, 3)),
    "gru": (Recurrent(nn.GRU(4, 5, num_layers=2, batch_first=True), "upper"), (6, 4)),
    "rnn": (Recurrent(nn.RNN(4, 5, nonlinearity="relu", batch_first=True), "mean"), (7, 4)),
}


def draw(net, seed):
    """Weights, and statistics of a trained network, not 0 and 1."""
    torch.manual_seed(seed)
    for p in net.parameters():
        if p.dim() > 1:
            nn.init.kaiming_normal_(p)
        elif p.dim() == 1:
            p.data.normal_(0, 0.2)
    for m in net.modules():
        if isinstance(m, nn.LayerNorm):
            m.weight.data.uniform_(0.5, 1.5)
    net.eval()
    for m in net.modules():
        if isinstance(m, nn.modules.batchnorm._BatchNorm):
            m.running_mean.normal_(0, 0.3)
            m.running_var.uniform_(0.5, 2)
            m.weight.data.uniform_(0.5, 1.5)
            m.bias.data.normal_(0, 0.3)


def rows(values):
    return "[" + ",\n".join("[" + ", ".join(str(np.float32(v)) for v in row) + "]" for row in values) + "]"


def main(folder):
    warnings.filterwarnings("ignore")
    for index, (name, (net, shape)) in enumerate(NETWORKS.items()):
        draw(net, 1000 + index)
        opset = 17 if name == "mlp_layernorm" or index % 2 == 0 else 13
        x = torch.randn(3, *shape)
        with torch.no_grad():
            y = net.double()(x.double())
        net.float()
        torch.onnx.export(net, x[:1], str(folder / f"{name}.onnx"), opset_version=opset, input_names=["x"], output_names=["y"])
        kept = 3 if x[0].numel() < 200 else 2
        text = f'{{"opset": {opset}, "inputs": {rows(x[:kept].flatten(1).numpy())},\n"outputs": {json.dumps(y[:kept].flatten(1).tolist())}}}\n'
        (folder / f"{name}.json").write_text(text)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
