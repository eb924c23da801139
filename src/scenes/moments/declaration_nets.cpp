#include "scenes/moments/declaration_nets.h"

#include <algorithm>

namespace kappaflow::random_nets {
namespace {

/// A network of the reader's takes the place of these, and their settings have no say.
bool given(const Values& v) { return v.contains("network") && !v.is("network", ""); }
bool all(const Values& v) { return !given(v) && v.contains("compare") && v.is("compare", "all"); }
bool residual(const Values& v) { return all(v) || v.is("net", "resnet") || v.is("net", "resnet-plain"); }
bool normalised(const Values& v) { return all(v) || v.is("net", "batch-norm") || v.is("net", "resnet"); }
bool convolutional(const Values& v) { return !given(v) && !v.is("space", "dense"); }

/// A default that is smaller where convolutions or four networks take longer; the reader's own values stay as they are.
Param lighter(Param p, double convolved, double compared) {
    const double standard = std::get<double>(p.standard), most = p.max;
    p.beside = [=](const Values& v) {
        const double beside = std::min(convolutional(v) ? convolved : standard, all(v) ? compared : standard);
        return Beside{std::min(beside, standard), most};
    };
    return p;
}

Param dataParam(Text figure) {
    Param p = param(
        Kind::Data, "data", "x⁰", "data", std::string("gaussian"),
        "Inputs: all of one size, of spread sizes, mostly in few directions, smooth colour images, or a CIFAR-10 or MNIST file.", figure);
    p.options = madeData();
    p.options.emplace_back("file", "your own images");
    p.files = DataFiles::Images;
    return p;
}

std::vector<Param> mainParams(const NetStandards& standards, Text figure) {
    return {
        choiceParam("net", "network",
                    {{"vanilla", "vanilla"},
                     {"batch-norm", "batch-normalised"},
                     {"resnet", "batch-normalised ResNet"},
                     {"resnet-plain", "ResNet without batch norm"}},
                    "How a layer is made: weights and activation alone, with batch norm between them, or as a branch beside a skip.",
                    "P3 Eqs 1–2, 9–13, App. F.4"),
        lighter(logarithmic(wholeParam("width", "N", "width", standards.width, 1, 512, "Channels of every layer.", figure)), 24, 64),
        lighter(logarithmic(wholeParam("layers", "L", "layers", standards.layers, 1, 500, "Layers; of a ResNet residual units.", figure)),
                40, 60),
        dataParam(figure),
        lighter(logarithmic(
                    wholeParam("samples", "M", "samples", 64, 2, 1024,
                               "Inputs behind every moment; with more of them a batch-normalised network amplifies noise less, while the "
                               "tails of its signal grow fatter.",
                               figure)),
                8, 64),
        lighter(logarithmic(wholeParam("draws", "", "draws", standards.draws, 1, 200,
                                       "Networks, each with fresh weights, inputs and noise, behind means and bands.", figure)),
                3, 3)};
}

/// A reflected end takes its values from the positions within.
Param tapsParam(Text figure) {
    Param p = oddOnly(wholeParam("taps", "K", "taps", 3, 1, 7, "Positions a dimension that a unit reads.", figure));
    p.beside = [](const Values& v) {
        const bool mirrored = convolutional(v) && v.is("boundary", "reflect");
        return Beside{3, mirrored ? std::min(7.0, 2 * v.number("extent") - 1) : 7};
    };
    return p;
}

std::vector<Param> shapeParams(Text figure) {
    return {choiceParam("space", "layout", {{"dense", "dense"}, {"conv1d", "convolution in 1-D"}, {"conv2d", "convolution in 2-D"}},
                        "Fully connected layers, or convolutions over positions that all count as points.", figure),
            visibleWhen(convolutional, wholeParam("extent", "n", "extent", 8, 2, 16, "Positions a dimension.", figure)),
            visibleWhen(convolutional, tapsParam(figure)),
            visibleWhen(convolutional,
                        choiceParam("boundary", "boundary", {{"periodic", "periodic"}, {"reflect", "reflected"}, {"zero", "zeros"}},
                                    "What convolutions read beyond the ends.", figure))};
}

std::vector<Param> layerParams(Text figure) {
    return {
        choiceParam("activation", "activation", {{"relu", "ReLU"}, {"tanh", "tanh"}}, "What follows the weights or the batch norm.",
                    "P3 Sec. 2, App. F.4"),
        visibleWhen(residual, wholeParam("branch", "H", "layers in a branch", 2, 1, 4, "Layers of a residual branch.", "P3 Eqs 12–15")),
        visibleWhen(residual, inRange(param(Kind::Number, "skipScale", "s", "skip scale", 1.0,
                                            "Factor of the skip connection; 0 takes it away, and with it the dilution.", "P3 Eqs 14–15"),
                                      0, 2)),
        logarithmic(inRange(param(Kind::Number, "weightScale", "", "weight scale", 1.0,
                                  "Weights over those of He's initialisation; below 1, with biases, the signal contracts to a point.",
                                  "P3 Sec. 4, zero-dimensional signal"),
                            0.25, 4)),
        inRange(param(Kind::Number, "biasVariance", "σ_b²", "bias variance", 0.0, "Biases are N(0, σ_b²); He's initialisation has none.",
                      "P3 Sec. 4, zero-dimensional signal"),
                0, 4),
        visibleWhen(normalised, inRange(param(Kind::Number, "epsilon", "ε", "batch norm's ε", 1e-3, "Added to variances under the root.",
                                              "P3 Eqs 9–13"),
                                        0, 0.1)),
        seedParam("Start of the random numbers of weights, inputs and noise.", figure)};
}

}  // namespace

std::vector<Param> netParams(const NetStandards& standards, Text figure) {
    std::vector<Param> params = mainParams(standards, figure);
    for (auto& p : shapeParams(figure)) params.push_back(underMore(std::move(p)));
    for (auto& p : layerParams(figure)) params.push_back(underMore(std::move(p)));
    return params;
}

std::vector<Option> madeData() {
    return {{"gaussian", "white Gaussian"},
            {"spread", "Gaussian, spread norms"},
            {"low-rank", "Gaussian, low rank"},
            {"images", "smooth colour images"}};
}

const char* nameOfNet(std::string_view key) {
    if (key == "vanilla") return "vanilla network";
    if (key == "batch-norm") return "batch-normalised network";
    return key == "resnet" ? "batch-normalised ResNet" : "ResNet without batch norm";
}

}  // namespace kappaflow::random_nets
