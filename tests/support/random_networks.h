#pragma once
#include <utility>

#include "support/networks.h"

namespace kappaflow {

/// Networks of random layers, every kind and form that an ONNX file keeps as it is. `single`: all numbers are floats. `identities`: also
/// activations that are none, which it does not keep.
class RandomNetworks {
public:
    RandomNetworks(std::uint64_t seed, bool single, bool identities = false)
        : rng_(seed, Purpose::Data), single_(single), identities_(identities) {}

    Network next() {
        Network network{firstShape(), {}};
        Shape shape = network.input;
        for (int left = whole(1, 6); left > 0; --left) append(network.layers, shape, 0);
        if (shape.channels * shape.height > 1) append(network.layers, shape, layerOf<Flatten>(shape, flat(shape)));
        append(network.layers, shape, layerOf<Dense>(shape, {1, 1, whole(1, 5)}));
        return network;
    }

private:
    int whole(int lo, int hi) { return lo + static_cast<int>(rng_.below(static_cast<std::uint64_t>(hi - lo + 1))); }
    bool maybe() { return rng_.below(2) == 1; }
    double number() {
        const double drawn = rng_.gaussian();
        return single_ ? static_cast<float>(drawn) : drawn;
    }
    std::vector<double> numbers(std::size_t count) {
        std::vector<double> values(count);
        for (double& value : values) value = number();
        return values;
    }
    static Shape flat(const Shape& shape) { return {1, 1, static_cast<int>(shape.units())}; }
    static bool isVector(const Shape& shape) { return shape.channels == 1 && shape.height == 1; }
    Shape firstShape() {
        switch (whole(0, 3)) {
            case 0:
                return {1, 1, whole(1, 9)};
            case 1:
                return {whole(2, 4), 1, whole(3, 9)};
            default:
                return {whole(1, 4), whole(2, 7), whole(2, 7)};
        }
    }

    void append(std::vector<Layer>& layers, Shape& shape, Layer layer) {
        layer.name = maybe() ? "n" + std::to_string(whole(0, 99)) : "";
        fill(layer);
        shape = layer.out;
        layers.push_back(std::move(layer));
    }
    void append(std::vector<Layer>& layers, Shape& shape, int nesting) {
        const int kind = whole(0, nesting < 2 ? 9 : 8);
        if (kind <= 2) return append(layers, shape, activation(shape));
        if (kind == 3) return append(layers, shape, shape.units() < 2 || maybe() ? batchNorm(shape) : layerNorm(shape));
        if (kind == 9) return append(layers, shape, residual(shape, nesting + 1));
        if (isVector(shape) && kind <= 6) return append(layers, shape, layerOf<Dense>(shape, {1, 1, whole(1, 6)}));
        if (kind <= 6) return append(layers, shape, windowed<Conv>(shape));
        if (kind == 7) return append(layers, shape, maybe() ? windowed<MaxPool>(shape) : windowed<AveragePool>(shape));
        if (nesting == 0 && shape.channels > 1 && whole(0, 2) == 0)
            append(layers, shape, layerOf<GlobalAveragePool>(shape, {shape.channels, 1, 1}));
    }

    Layer activation(const Shape& shape) {
        if (identities_ && maybe()) return activationLayer(shape, Activation::Identity);
        static constexpr Activation kAll[] = {Activation::Relu,        Activation::LeakyRelu, Activation::LeakyRelu, Activation::Abs,
                                              Activation::Tanh,        Activation::HardTanh,  Activation::Sigmoid,   Activation::Relu6,
                                              Activation::HardSigmoid, Activation::Elu,       Activation::Selu,      Activation::Softplus,
                                              Activation::Gelu,        Activation::GeluTanh,  Activation::Silu,      Activation::Mish,
                                              Activation::HardSwish,   Activation::Erf,       Activation::Sin,       Activation::Cos,
                                              Activation::Sqrt};
        Layer layer = activationLayer(shape, kAll[whole(0, 20)], 0.01);
        auto& f = layer.as<Pointwise>();
        if (f.activation == Activation::Elu) f.slope = static_cast<float>(std::abs(number()));
        if (f.activation == Activation::HardSigmoid && maybe()) f.gain = static_cast<float>(number());
        if (f.activation != Activation::LeakyRelu) return layer;
        const int form = whole(0, 3);
        if (form == 1) f.slope = number();
        if (form == 2 && shape.channels > 1) f.slopes = numbers(static_cast<std::size_t>(shape.channels));
        if (form == 3 && shape.units() > static_cast<std::size_t>(shape.channels)) f.slopes = numbers(shape.units());
        return layer;
    }

    Layer batchNorm(const Shape& shape) {
        BatchNorm norm;
        norm.shared = isVector(shape) ? maybe() : shape.height * shape.width == 1 || whole(0, 3) > 0;
        const int epsilon = whole(0, 2);
        if (epsilon > 0) norm.epsilon = epsilon == 1 ? 0 : 0.0009765625;
        return {shape, shape, norm};
    }

    Layer layerNorm(const Shape& shape) {
        LayerNorm norm;
        norm.eachPosition = shape.channels > 1 && shape.height * shape.width > 1 && maybe();
        if (!norm.eachPosition && shape.channels > 1 && shape.height * shape.width > 1 && maybe()) norm.groups = shape.channels;
        norm.shared = norm.eachPosition || norm.groups > 1 || (shape.channels > 1 && shape.height * shape.width == 1);
        if (maybe()) norm.epsilon = 0.0009765625;
        return {shape, shape, norm};
    }

    template <class Op>
    Layer windowed(const Shape& in) {
        constexpr bool convolves = std::is_same_v<Op, Conv>, averages = std::is_same_v<Op, AveragePool>;
        for (;;) {
            Window w;
            w.padding = static_cast<Padding>(whole(0, 2));
            for (int axis = in.height == 1 ? 1 : 0; axis < 2; ++axis) {
                const int cells = axis == 0 ? in.height : in.width;
                w.size[axis] = whole(1, 3);
                w.stride[axis] = whole(1, 2);
                w.dilation[axis] = averages ? 1 : whole(1, 2);
                const int most = std::min(cells - 1, w.dilation[axis] * (w.size[axis] - 1));
                w.before[axis] = most > 0 ? whole(0, most) : 0;
                w.after[axis] = most > 0 ? whole(0, most) : 0;
            }
            const bool padded = w.before != std::array{0, 0} || w.after != std::array{0, 0};
            if (!padded) w.padding = Padding::Zero;
            Layer layer = windowLayer<Op>(in, convolves ? whole(1, 4) : in.channels, w);
            if constexpr (averages) layer.as<Op>().countsPadding = padded && w.padding == Padding::Zero && maybe();
            if constexpr (convolves)
                if (in.channels % 2 == 0 && layer.out.channels % 2 == 0 && maybe()) layer.as<Op>().groups = 2;
            try {
                validate({in, {layer}});
                return layer;
            } catch (const InputError&) {
                // A window that does not fit, or lies in its padding: another one.
            }
        }
    }

    Layer residual(const Shape& in, int nesting) {
        std::vector<Layer> branch, skip;
        Shape shape = in;
        do append(branch, shape, nesting);
        while (branch.empty() || maybe());
        if (shape != in) skip = projection(in, shape);
        const double branchScale = maybe() ? number() : 1, skipScale = maybe() ? number() : 1;
        return residualBlock(in, std::move(branch), std::move(skip), skipScale, branchScale);
    }
    std::vector<Layer> projection(const Shape& in, const Shape& out) {
        std::vector<Layer> skip;
        Shape shape = in;
        if (!isVector(shape)) append(skip, shape, layerOf<Flatten>(shape, flat(shape)));
        append(skip, shape, layerOf<Dense>(shape, flat(out)));
        if (shape != out) append(skip, shape, layerOf<Flatten>(shape, out));
        return skip;
    }

    void fill(Layer& layer) {
        auto* const own = layer.getIf<Weights>();
        if (!own) return;
        const auto count = static_cast<std::size_t>(weightCount(layer));
        own->weights = numbers(count);
        if (layer.is<Dense>() && maybe()) own->bias = numbers(layer.out.units());
        if (layer.is<Conv>() && maybe()) own->bias = numbers(static_cast<std::size_t>(layer.out.channels));
        if (!own->bias.empty() && maybe()) own->bias[0] = -0.0;
        if (layer.is<Norm>()) own->bias = numbers(count);
        auto* const norm = layer.getIf<BatchNorm>();
        if (!norm) return;
        norm->mean = numbers(count);
        norm->variance = numbers(count);
        for (double& variance : norm->variance) variance = 0.5 + std::abs(variance);
        if (single_)
            for (double& variance : norm->variance) variance = static_cast<float>(variance);
        if (norm->shared || isVector(layer.in)) return;
        // One scale a unit of a grid: a factor alone, or a term alone.
        norm->mean.assign(count, 0);
        norm->variance.assign(count, 1);
        norm->epsilon = 0;
        (maybe() ? norm->weights : norm->bias).assign(count, 0);
        if (norm->weights[0] == 0) norm->weights.assign(count, 1);
    }

    Rng rng_;
    bool single_, identities_;
};

}  // namespace kappaflow
