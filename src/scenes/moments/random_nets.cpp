#include "scenes/moments/random_nets.h"

#include <cmath>

#include "core/base/errors.h"
#include "scenes/moments/random_nets_model.h"

namespace kappaflow::random_nets {
namespace {

/// Multiply-adds of the stem, for signal and noise, at most: files hold up to three colours.
double stemProducts(const NetSetup& s) {
    if (s.data != MomentData::Images) return 0;
    const double side = static_cast<double>(imageGrid(s.net).extent);
    const double window = s.net.dimensions == 0 ? 3 * side * side : 3 * std::pow(3.0, s.net.dimensions);
    return 2 * s.points() * window * static_cast<double>(s.net.inputs);
}

}  // namespace

NetSetup setupOf(const NetParams& p) {
    constexpr Padding kPaddings[] = {Padding::Periodic, Padding::Reflect, Padding::Zero};
    NetSetup s;
    s.net.kind = static_cast<MomentKind>(p.net);
    s.net.dimensions = static_cast<int>(p.space);
    s.net.width = s.net.inputs = static_cast<std::size_t>(p.width);
    s.net.layers = static_cast<std::size_t>(p.layers);
    if (s.net.dimensions > 0) {
        s.net.extent = static_cast<std::size_t>(p.extent);
        s.net.taps = static_cast<std::size_t>(p.taps);
        s.net.boundary = kPaddings[static_cast<std::size_t>(p.boundary)];
    }
    s.net.inner = static_cast<std::size_t>(p.branch);
    s.net.activation = p.activation == Phi::Relu ? Activation::Relu : Activation::Tanh;
    s.net.epsilon = p.epsilon;
    s.net.skipScale = p.skipScale;
    s.net.weightScale = p.weightScale;
    s.net.biasVariance = p.biasVariance;
    s.fromFile = p.data == "file";
    for (std::size_t i = 0; i < std::size(kData); ++i)
        if (p.data == kData[i].key) s.data = s.fromFile ? MomentData::Images : static_cast<MomentData>(i);
    s.samples = static_cast<std::size_t>(p.samples);
    s.draws = static_cast<std::size_t>(p.draws);
    s.seed = p.seed;
    return s;
}

NetSetup setupOf(const NetParams& p, const std::shared_ptr<const Attachment>& file) {
    NetSetup s = setupOf(p);
    if (!s.fromFile) return s;
    if (!file) throw InputError("data=file needs the data file itself, which a link does not carry: open it again.");
    s.images = std::make_shared<const ImageSet>(readImages(file->bytes, file->name));
    if (s.images->count < s.samples)
        throw InputError("The file " + quote(file->name) + " holds " + std::to_string(s.images->count) +
                         " images, fewer than samples=" + std::to_string(s.samples) + ".");
    return s;
}

MomentPropagation propagationOf(const NetSetup& s, std::size_t draw, MomentPropagation::Wanted wanted) {
    SignalAndNoise input = drawMomentInput(s.net, s.data, s.samples, s.seed, draw, s.images.get());
    const auto weights = [net = s.net, seed = s.seed, draw](std::size_t layer) { return drawMomentWeights(net, layer, seed, draw); };
    return MomentPropagation(s.net, std::move(input), weights, wanted);
}

Cost costOfDraw(const NetSetup& s, MomentPropagation::Wanted wanted) {
    // Measured: 0.3 ns a multiply-add, 12 ns a weight, and so many ns for the other passes over a tensor's entries.
    const double passes = s.net.residual() ? 30 : s.net.normalised() ? 25 : 20;
    const double points = s.points(), width = static_cast<double>(s.net.width);
    const double least = std::min(points, width), most = std::max(points, width);
    const double linear = static_cast<double>(s.net.linearLayers());
    const double fanIn = std::pow(static_cast<double>(s.net.taps), s.net.dimensions) * width;
    const double ranks = wanted.ranks ? least * least * (0.5 * most + 95) : 0;
    const double layer = 0.6 * points * fanIn * width + 12 * fanIn * width + passes * points * width + ranks + 1e4;
    // Live at once: signal and noise before and after a layer, what a branch keeps, and a block of receptive fields.
    const double tensors = (s.net.residual() ? 10 : 8) * points * width + 512 * fanIn;
    double drawing = 0, images = 0;
    if (s.data == MomentData::Images) {
        const ImageGrid grid = imageGrid(s.net);
        const double samples = static_cast<double>(s.samples);
        drawing = samples * imageOperations(grid);
        images = samples * std::pow(grid.extent, grid.dimensions) * 3 * 2.5;
    }
    return {linear * layer + 2 * stemProducts(s) + drawing + 50 * points * width,
            8 * (tensors + fanIn * width + images + 3 * least * least) + (s.fromFile ? 1e8 : 0)};
}

}  // namespace kappaflow::random_nets
