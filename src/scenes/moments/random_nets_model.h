#pragma once
#include <algorithm>
#include <memory>

#include "core/io/images.h"
#include "core/moments/layer_moments.h"
#include "core/moments/moment_data.h"
#include "core/moments/moment_propagation.h"
#include "scene/scene.h"
#include "scene/table.h"
#include "scenes/moments/random_nets.h"

namespace kappaflow::random_nets {

// What the params of NetParams describe, and the rows that bind them.

struct NetSetup {
    MomentNet net;
    MomentData data = MomentData::White;
    bool fromFile = false;                   ///< a reader's images in their place, through the same stem
    std::shared_ptr<const ImageSet> images;  ///< of that file
    std::size_t samples = 64, draws = 30;
    std::uint64_t seed = 1;

    double points() const { return static_cast<double>(samples * net.positions()); }
};
/// No file is opened.
NetSetup setupOf(const NetParams&);
/// With the images of a data file. Throws InputError in a sentence when it is missing, cannot be read, or holds fewer images than samples.
NetSetup setupOf(const NetParams&, const std::shared_ptr<const Attachment>& file);

/// Input and weights of one draw, which follow from seed and draw alone. Throws InputError where the input has no variance.
MomentPropagation propagationOf(const NetSetup&, std::size_t draw, MomentPropagation::Wanted = {});

/// Operations of one draw, at 1e9 a second; bytes while it runs.
Cost costOfDraw(const NetSetup&, MomentPropagation::Wanted = {});

using namespace table;

inline constexpr OptionRow kNets[] = {
    {"vanilla"}, {"batch-norm", "batch-normalised"}, {"resnet", "batch-normalised ResNet"}, {"resnet-plain", "ResNet without batch norm"}};
/// In the order of MomentData, and a file.
inline constexpr OptionRow kData[] = {{"gaussian", "white Gaussian"},
                                      {"spread", "Gaussian, spread norms"},
                                      {"low-rank", "Gaussian, low rank"},
                                      {"images", "smooth colour images"},
                                      {"file", "your own images"}};
inline constexpr OptionRow kSpaces[] = {{"dense"}, {"conv1d", "convolution in 1-D"}, {"conv2d", "convolution in 2-D"}};
inline constexpr OptionRow kBoundaries[] = {{"periodic"}, {"reflect", "reflected"}, {"zero", "zeros"}};
inline constexpr OptionRow kActivations[] = {{"relu", "ReLU"}, {"tanh"}};

inline bool drawn(const NetParams& p) { return p.network.empty(); }
inline bool comparesAll(const NetParams& p) { return drawn(p) && p.compare == Compare::All; }
inline bool isConvolutional(const NetParams& p) { return drawn(p) && p.space != Space::Dense; }
inline bool hasBranches(const NetParams& p) { return drawn(p) && (comparesAll(p) || isResidual(p.net)); }
inline bool hasBatchNorm(const NetParams& p) { return drawn(p) && (comparesAll(p) || isNormalised(p.net)); }

/// A default that is smaller where convolutions or four networks take longer; the reader's own values stay as they are.
template <int standard, int convolved, int compared, int most>
Beside lighter(const NetParams& p) {
    return {static_cast<double>(std::min(isConvolutional(p) ? convolved : standard, comparesAll(p) ? compared : standard)), most};
}
/// A reflected end takes its values from the positions within.
inline Beside tapsThatFit(const NetParams& p) {
    return {3, isConvolutional(p) && p.boundary == Boundary::Reflect ? std::min(7.0, 2.0 * p.extent - 1) : 7};
}

inline constexpr ParamRow kNetRow =
    choice<&NetParams::net>(
        "net", "kind of network", kNets,
        "How a layer is made: weights and activation alone, with batch norm between them, or as a branch beside a skip.",
        "P3 Eqs 1–2, 9–13, App. F.4") |
    when<drawn>;

/// All that follow, from `width` to `seed`, with a scene's defaults of dense networks one at a time, its figure and its help for `draws`.
template <int width, int layers, int draws, const auto& figure, const auto& drawsHelp>
inline constexpr ParamRow kNetRows[] = {
    whole<&NetParams::width>("width", "N", "width", {1, 512}, "Channels of every layer.", figure) | logarithmic | costly |
        dependsOn<lighter<width, std::min(24, width), std::min(64, width), 512>> | when<drawn>,
    whole<&NetParams::layers>("layers", "L", "layers", {1, 500}, "Layers; of a ResNet residual units.", figure) | logarithmic | costly |
        dependsOn<lighter<layers, std::min(40, layers), std::min(60, layers), 500>> | when<drawn>,
    data<&NetParams::data>(
        "x⁰", "data", kData, DataFiles::Images,
        "Inputs: all of one size, of spread sizes, mostly in few directions, smooth colour images, or a CIFAR-10 or MNIST file.", figure),
    whole<&NetParams::samples>("samples", "M", "samples", {2, 1024},
                               "Inputs behind every moment; with more of them a batch-normalised network amplifies noise less, while "
                               "the tails of its signal grow fatter.",
                               figure) |
        logarithmic | costly | more | dependsOn<lighter<64, 8, 64, 1024>>,
    whole<&NetParams::draws>("draws", "", "draws", {1, 200}, drawsHelp, figure) | logarithmic | costly |
        dependsOn<lighter<draws, std::min(3, draws), std::min(3, draws), 200>>,
    choice<&NetParams::space>("space", "layout", kSpaces,
                              "Fully connected layers, or convolutions over positions that all count as points.", figure) |
        more | when<drawn>,
    whole<&NetParams::extent>("extent", "n", "extent", {2, 16}, "Positions a dimension.", figure) | costly | more | when<isConvolutional>,
    whole<&NetParams::taps>("taps", "K", "taps", {1, 7}, "Positions a dimension that a unit reads.", figure) | odd | costly | more |
        dependsOn<tapsThatFit> | when<isConvolutional>,
    choice<&NetParams::boundary>("boundary", "boundary", kBoundaries, "What convolutions read beyond the ends.", figure) | more |
        when<isConvolutional>,
    choice<&NetParams::activation>("activation", "activation", kActivations, "What follows the weights or the batch norm.",
                                   "P3 Sec. 2, App. F.4") |
        more | when<drawn>,
    whole<&NetParams::branch>("branch", "H", "layers in a branch", {1, 4}, "Layers of a residual branch.", "P3 Eqs 12–15") | costly | more |
        when<hasBranches>,
    number<&NetParams::skipScale>("skipScale", "s", "skip scale", {0, 2},
                                  "Factor of the skip connection; 0 takes it away, and with it the dilution.", "P3 Eqs 14–15") |
        more | when<hasBranches>,
    number<&NetParams::weightScale>("weightScale", "", "weight scale", {0.25, 4},
                                    "Weights over those of He's initialisation; below 1, with biases, the signal contracts to a point.",
                                    "P3 Sec. 4, zero-dimensional signal") |
        logarithmic | more | when<drawn>,
    number<&NetParams::biasVariance>("biasVariance", "σ_b²", "bias variance", {0, 4},
                                     "Biases are N(0, σ_b²); He's initialisation has none.", "P3 Sec. 4, zero-dimensional signal") |
        more | when<drawn>,
    number<&NetParams::epsilon>("epsilon", "ε", "batch norm's ε", {0, 0.1}, "Added to variances under the root.", "P3 Eqs 9–13") | more |
        when<hasBatchNorm>,
    seed<&NetParams::seed>("Start of the random numbers of weights, inputs and noise.", figure)};

}  // namespace kappaflow::random_nets
