#include <doctest/doctest.h>

#include "core/net/batch_layers.h"
#include "support/matrices.h"
#include "support/networks.h"

using namespace kappaflow;

namespace {

std::vector<double> column(const Matrix& m, std::size_t s) {
    std::vector<double> x(m.rows);
    for (std::size_t i = 0; i < m.rows; ++i) x[i] = m(i, s);
    return x;
}

/// Every layer kind a batch goes through, in every form that changes the code's path.
std::vector<Layer> batchLayers() {
    std::vector<Layer> layers;
    for (const Layer& layer : layersOfEveryKind())
        if (!layer.is<Block>()) layers.push_back(layer);
    for (const Activation a :
         {Activation::Identity, Activation::Relu,       Activation::LeakyRelu, Activation::Abs,         Activation::Tanh,
          Activation::HardTanh, Activation::Sigmoid,    Activation::Relu6,     Activation::HardSigmoid, Activation::PseudoRandom,
          Activation::Elu,      Activation::Selu,       Activation::Softplus,  Activation::Gelu,        Activation::GeluTanh,
          Activation::Silu,     Activation::Mish,       Activation::HardSwish, Activation::Exp,         Activation::Log,
          Activation::Sqrt,     Activation::Reciprocal, Activation::Square,    Activation::Erf,         Activation::Sin,
          Activation::Cos})
        layers.push_back(activationLayer({1, 1, 5}, a));
    Layer unbiased = withNumbers(denseLayer(4, 9), 4);
    unbiased.as<Weights>().bias.clear();
    layers.push_back(unbiased);
    return layers;
}

/// Gaussian, with some entries exactly at the activations' kinks.
Matrix inputsFor(const Layer& layer) {
    Matrix x = gaussianMatrix(layer.in.units(), 13, 7);
    const double kinks[] = {0, -1, 1, 6, 2.5, -2.5};
    for (std::size_t i = 0; i < x.values.size(); i += 3) x.values[i] = kinks[i % 6];
    return x;
}

}  // namespace

TEST_CASE("a batch goes through every layer as its samples do one by one") {
    for (const Layer& layer : batchLayers()) {
        CAPTURE(layer.name);
        const auto* f = layer.getIf<Pointwise>();
        CAPTURE(f ? activationKey(f->activation) : "");
        const Matrix x = inputsFor(layer), g = gaussianMatrix(layer.out.units(), x.columns, 8);
        Batch y(1, 1), pulled(1, 1);  // of another size: they are made to fit
        applyBatch(layer, x, y);
        pullBatch(layer, x, g, pulled);
        REQUIRE(y.columns == x.columns);
        REQUIRE(pulled.rows == x.rows);
        for (std::size_t s = 0; s < x.columns; ++s) {
            CHECK(largestDifference(column(y, s), applyLayer(layer, column(x, s))) < 1e-13);
            CHECK(largestDifference(column(pulled, s), applyLayerTransposedJacobian(layer, column(x, s), column(g, s))) < 1e-13);
        }
    }
}

TEST_CASE("a dense layer's gradient is the sum of its samples' outer products") {
    const Layer layer = withNumbers(denseLayer(6, 5), 2);
    const Matrix x = gaussianMatrix(6, 11, 1), g = gaussianMatrix(5, 11, 2);
    LayerParameters gradient;
    parameterGradient(layer, x, g, gradient);
    CHECK(largestDifference(gradient.weights, slowProduct(g, transposed(x)).values) < 1e-13);
    CHECK(largestDifference(gradient.bias, slowProduct(g, Matrix(11, 1, std::vector<double>(11, 1))).values) < 1e-13);
}

TEST_CASE("a convolution's gradient is the slope of its output along each weight, whatever its padding, stride, dilation and groups") {
    // Outputs are linear in the weights: Σ g·y of one weight alone, set to 1, is the gradient, up to rounding.
    for (const Layer& layer : layersOfEveryKind()) {
        if (!layer.is<Conv>()) continue;
        CAPTURE(layer.name);
        const Matrix x = gaussianMatrix(layer.in.units(), 5, 11), g = gaussianMatrix(layer.out.units(), 5, 12);
        LayerParameters gradient;
        parameterGradient(layer, x, g, gradient);
        REQUIRE(gradient.weights.size() == layer.as<Weights>().weights.size());
        REQUIRE(gradient.bias.size() == layer.as<Weights>().bias.size());
        const auto slopeOf = [&](const Layer& only) {
            double sum = 0;
            for (std::size_t s = 0; s < 5; ++s) {
                const auto y = applyLayer(only, column(x, s)), weight = column(g, s);
                for (std::size_t i = 0; i < y.size(); ++i) sum += y[i] * weight[i];
            }
            return sum;
        };
        Layer none = layer;
        none.as<Weights>().weights.assign(layer.as<Weights>().weights.size(), 0.0);
        none.as<Weights>().bias.assign(layer.as<Weights>().bias.size(), 0.0);
        for (std::size_t w = 0; w < layer.as<Weights>().weights.size(); ++w) {
            Layer one = none;
            one.as<Weights>().weights[w] = 1;
            CHECK(std::abs(gradient.weights[w] - slopeOf(one)) < 1e-12);
        }
        for (std::size_t c = 0; c < layer.as<Weights>().bias.size(); ++c) {
            Layer one = none;
            one.as<Weights>().bias[c] = 1;
            CHECK(std::abs(gradient.bias[c] - slopeOf(one)) < 1e-12);
        }
    }
}

TEST_CASE("a convolution too large for one block of columns is the same as sample by sample") {
    Layer large = windowLayer<Conv>({6, 14, 14}, 8, {{3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, Padding::Zero});
    large = withNumbers(large, 3);
    const Matrix x = gaussianMatrix(large.in.units(), 40, 1), g = gaussianMatrix(large.out.units(), 40, 2);
    Batch y, pulled;
    applyBatch(large, x, y);
    pullBatch(large, x, g, pulled);
    for (const std::size_t s : {0, 17, 39}) {
        CHECK(largestDifference(column(y, s), applyLayer(large, column(x, s))) < 1e-12);
        CHECK(largestDifference(column(pulled, s), applyLayerTransposedJacobian(large, column(x, s), column(g, s))) < 1e-12);
    }
    // The gradient in direction w is Σ g·(y(w) without bias), here for w the weights themselves.
    LayerParameters gradient;
    parameterGradient(large, x, g, gradient);
    double along = 0, expected = 0;
    for (std::size_t w = 0; w < large.as<Weights>().weights.size(); ++w) along += gradient.weights[w] * large.as<Weights>().weights[w];
    for (std::size_t c = 0; c < large.as<Weights>().bias.size(); ++c) along += gradient.bias[c] * large.as<Weights>().bias[c];
    for (std::size_t i = 0; i < y.values.size(); ++i) expected += y.values[i] * g.values[i];
    CHECK(along == doctest::Approx(expected).epsilon(1e-11));
}

TEST_CASE("a batch goes through blocks as its samples do one by one, there and back") {
    std::vector<Layer> blocks = blocksOfEveryJoin();
    for (const Layer& layer : layersOfEveryKind())
        if (layer.is<Block>()) blocks.push_back(layer);
    for (const Layer& layer : blocks) {
        CAPTURE(layer.name);
        const Matrix x = gaussianMatrix(layer.in.units(), 9, 7);
        Matrix g = gaussianMatrix(layer.out.units(), 9, 8);
        const Matrix given = g;
        BatchStates states;
        states.at.resize(2);
        states.at[0] = x;
        applyChain({layer}, states);
        std::vector<LayerParameters> gradients(1);
        gradients[0].inner.resize(layer.as<Block>().inner.size());
        pullChain({layer}, states, g, gradients);
        for (std::size_t s = 0; s < x.columns; ++s) {
            CHECK(largestDifference(column(states.at[1], s), applyLayer(layer, column(x, s))) < 1e-13);
            CHECK(largestDifference(column(g, s), applyLayerTransposedJacobian(layer, column(x, s), column(given, s))) < 1e-13);
        }
    }
}
