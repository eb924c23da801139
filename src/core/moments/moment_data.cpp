#include "core/moments/moment_data.h"

#include <cmath>
#include <string>
#include <utility>

#include "core/base/errors.h"
#include "core/base/portable_math.h"
#include "core/base/rng.h"
#include "core/moments/moment_convolution.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

constexpr std::pair<MomentData, std::string_view> kKeys[] = {
    {MomentData::White, "gaussian"}, {MomentData::Contrast, "spread"}, {MomentData::LowRank, "low-rank"}, {MomentData::Images, "images"}};

void checkSamples(Size samples) {
    if (samples < 1 || samples > 0xffffffffu)
        throw InputError("A random network takes at least one sample and fewer than 2³², not " + std::to_string(samples) + ".");
}

/// Stream of one sample of one draw.
Rng sampleStream(Purpose purpose, std::uint64_t seed, std::uint64_t draw, Size sample) { return Rng(seed, purpose, draw << 32 | sample); }

PointValues emptyLike(const MomentNet& net, Size samples) {
    return {samples, net.dimensions, net.extent, Matrix(samples * net.positions(), net.inputs)};
}

/// iid N(0, 1) in the shape of `like`.
PointValues whiteNoise(const PointValues& like, std::uint64_t seed, std::uint64_t draw) {
    PointValues noise{like.samples, like.dimensions, like.extent, Matrix(like.points(), like.channels())};
    const Size each = noise.values.values.size() / noise.samples;
    double* value = noise.values.values.data();
    for (Size s = 0; s < noise.samples; ++s) {
        Rng rng = sampleStream(Purpose::MonteCarlo, seed, draw, s);
        for (Size i = 0; i < each; ++i) *value++ = rng.gaussian();
    }
    return noise;
}

/// Standard deviations of the channels.
std::vector<double> channelScales(MomentData data, Size channels) {
    std::vector<double> scales(channels, 1.0);
    if (data != MomentData::LowRank) return scales;
    double sum = 0;
    for (Size c = 0; c < channels; ++c) {
        scales[c] = 1.0 / static_cast<double>(c + 1);
        sum += scales[c] * scales[c];
    }
    const double unit = std::sqrt(static_cast<double>(channels) / sum);
    for (double& scale : scales) scale *= unit;
    return scales;
}

PointValues gaussianSignal(const MomentNet& net, MomentData data, Size samples, std::uint64_t seed, std::uint64_t draw) {
    PointValues signal = emptyLike(net, samples);
    const auto scales = channelScales(data, net.inputs);
    double* value = signal.values.values.data();
    for (Size s = 0; s < samples; ++s) {
        Rng rng = sampleStream(Purpose::Inputs, seed, draw, s);
        const double contrast = data == MomentData::Contrast ? portableExp(rng.gaussian() / 2) : 1;
        for (Size point = 0; point < net.positions(); ++point)
            for (const double scale : scales) *value++ = contrast * scale * rng.gaussian();
    }
    return signal;
}

/// One row a sample, as a dense net reads images.
PointValues flattened(PointValues images) {
    const Size columns = images.values.values.size() / images.samples;
    return {images.samples, 0, 1, Matrix(images.samples, columns, std::move(images.values.values))};
}

/// Signal and white noise on the images, both through one stem.
SignalAndNoise throughOneStem(const MomentNet& net, PointValues images, std::uint64_t seed, std::uint64_t draw) {
    const MomentWeights stem = drawStem(net, images, seed, draw);
    PointValues noise = whiteNoise(images, seed, draw);
    if (net.dimensions > 0) return throughStem(net, {std::move(images), std::move(noise), 0}, stem);
    return throughStem(net, {flattened(std::move(images)), flattened(std::move(noise)), 0}, stem);
}

}  // namespace

std::string_view momentDataKey(MomentData data) {
    for (const auto& [value, key] : kKeys)
        if (value == data) return key;
    return "";
}

MomentData momentDataFromKey(std::string_view text) {
    std::string known;
    for (const auto& [value, key] : kKeys) {
        if (key == text) return value;
        known += (known.empty() ? "" : ", ") + std::string(key);
    }
    throw InputError("Unknown inputs \"" + std::string(text) + "\": they are one of " + known + ".");
}

MomentWeights drawStem(const MomentNet& net, const PointValues& images, std::uint64_t seed, std::uint64_t draw) {
    MomentWeights stem;
    Size cells = 1;
    if (net.dimensions == 0) {
        stem.in = images.values.values.size() / images.samples;
    } else {
        stem.taps = 3, stem.stride = 2, stem.in = images.channels();
        cells = net.dimensions == 2 ? 9 : 3;
    }
    stem.out = net.inputs;
    Rng rng(seed, Purpose::Weights, ~draw);
    stem.values.resize(cells * stem.in * stem.out);
    for (double& weight : stem.values) weight = drawWeight(rng, 1 / std::sqrt(static_cast<double>(cells * stem.in)));
    return stem;
}

SignalAndNoise drawMomentInput(const MomentNet& net, MomentData data, Size samples, std::uint64_t seed, std::uint64_t draw) {
    checkSamples(samples);
    if (data == MomentData::Images) return throughOneStem(net, drawImages(net, samples, seed, draw), seed, draw);
    PointValues signal = gaussianSignal(net, data, samples, seed, draw);
    PointValues noise = whiteNoise(signal, seed, draw);
    return {std::move(signal), std::move(noise), 0};
}

SignalAndNoise drawMomentInput(const MomentNet& net, const ImageSet& set, Size samples, std::uint64_t seed, std::uint64_t draw) {
    checkSamples(samples);
    return throughOneStem(net, drawImages(net, set, samples, seed, draw), seed, draw);
}

}  // namespace kappaflow
