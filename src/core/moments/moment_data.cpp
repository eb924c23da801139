#include "core/moments/moment_data.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>

#include "core/base/errors.h"
#include "core/base/portable_math.h"
#include "core/base/rng.h"
#include "core/moments/moment_propagation.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

/// Stream of one sample of one draw.
Rng sampleStream(Purpose purpose, std::uint64_t seed, std::uint64_t draw, Size sample) { return Rng(seed, purpose, draw << 32 | sample); }

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
    PointValues signal{samples, net.dimensions, net.extent, Matrix(samples * net.positions(), net.inputs)};
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

// Images that go into the stem: colour fields made here, and a reader's, brought to one side and standardised.

constexpr Size kColours = 3, kDenseExtent = 16;
/// Fields hold waves of up to kMostWaves periods an image, amplitudes ∝ (periods)^−1 as natural images', and a brightness of their own; a
/// colour is what all share plus kTint times what is its own: colours correlate by 1/(1 + kTint²).
constexpr int kMostWaves = 6;
constexpr double kTint = 0.7;

/// Adds one random wave, a cos + b sin of 2π(ky·y + kx·x)/e with its own (a, b) for each colour.
void addWave(Rng& rng, int ky, int kx, const std::vector<SineCosine>& circle, Size rows, double* pixels) {
    const double amplitude = ky == 0 && kx == 0 ? 1 : 1 / std::sqrt(static_cast<double>(ky * ky + kx * kx));
    double a[kColours], b[kColours];
    const double shared[] = {rng.gaussian(), rng.gaussian()};
    for (Size c = 0; c < kColours; ++c) {
        a[c] = amplitude * (shared[0] + kTint * rng.gaussian());
        b[c] = amplitude * (shared[1] + kTint * rng.gaussian());
    }
    const auto e = static_cast<int>(circle.size());
    for (int y = 0; y < static_cast<int>(rows); ++y)
        for (int x = 0; x < e; ++x, pixels += kColours) {
            const SineCosine at = circle[static_cast<Size>(((ky * y + kx * x) % e + e) % e)];
            for (Size c = 0; c < kColours; ++c) pixels[c] += a[c] * at.cosine + b[c] * at.sine;
        }
}

/// One image: every wave vector of half the plane once, the other half being the same waves.
void addField(Rng& rng, const std::vector<SineCosine>& circle, Size rows, double* pixels) {
    const int most = std::min(kMostWaves, static_cast<int>(circle.size()) / 2 - 1), mostY = rows > 1 ? most : 0;
    for (int ky = 0; ky <= mostY; ++ky)
        for (int kx = ky == 0 ? 0 : -most; kx <= most; ++kx)
            if (ky * ky + kx * kx <= most * most) addWave(rng, ky, kx, circle, rows, pixels);
}

/// `samples` of `count` indices, each set of them equally likely.
std::vector<Size> chosenImages(Size count, Size samples, std::uint64_t seed, std::uint64_t draw) {
    std::vector<Size> all(count);
    std::iota(all.begin(), all.end(), Size{0});
    Rng rng(seed, Purpose::Inputs, draw << 32 | 0xffffffffu);
    for (Size i = 0; i < samples; ++i) std::swap(all[i], all[i + static_cast<Size>(rng.below(count - i))]);
    all.resize(samples);
    return all;
}

/// Share of old cell i (of `from`) in new cell j (of `to`), as weights [to][from] that sum to 1 over i.
std::vector<double> areaWeights(Size from, Size to) {
    std::vector<double> weights(to * from);
    // In units of 1/(from·to) of the side, so that every end is a whole number.
    for (Size j = 0; j < to; ++j)
        for (Size i = 0; i < from; ++i) {
            const Size lo = std::max(j * from, i * to), hi = std::min((j + 1) * from, (i + 1) * to);
            if (hi > lo) weights[j * from + i] = static_cast<double>(hi - lo) / static_cast<double>(from);
        }
    return weights;
}

/// One image, or its line in the middle, brought from the file's side to e.
void resample(const ImageSet& set, Size image, bool line, const std::vector<double>& weights, Size e, double* out) {
    const Size s = set.extent, colours = set.channels, firstRow = line ? s / 2 : 0, rows = line ? 1 : s;
    std::vector<double> narrowed(rows * e * colours);
    for (Size y = 0; y < rows; ++y)
        for (Size x = 0; x < s; ++x) {
            const unsigned char* pixel = set.pixels.data() + ((image * s + firstRow + y) * s + x) * colours;
            for (Size j = 0; j < e; ++j)
                if (const double w = weights[j * s + x]; w > 0)
                    for (Size c = 0; c < colours; ++c) narrowed[(y * e + j) * colours + c] += w * pixel[c];
        }
    if (line) {
        std::copy(narrowed.begin(), narrowed.end(), out);
        return;
    }
    for (Size j = 0; j < e; ++j)
        for (Size y = 0; y < s; ++y)
            if (const double w = weights[j * s + y]; w > 0)
                for (Size i = 0; i < e * colours; ++i) out[j * e * colours + i] += w * narrowed[y * e * colours + i];
}

}  // namespace

void standardiseChannels(PointValues& images) {
    const auto points = static_cast<double>(images.points());
    bool varies = false;
    for (Size c = 0; c < images.channels(); ++c) {
        double sum = 0, squares = 0;
        for (Size p = 0; p < images.points(); ++p) sum += images.values(p, c);
        for (Size p = 0; p < images.points(); ++p) {
            const double centred = images.values(p, c) -= sum / points;
            squares += centred * centred;
        }
        const double unit = squares > 1e-20 * points ? std::sqrt(points / squares) : 0;
        for (Size p = 0; p < images.points(); ++p) images.values(p, c) *= unit;
        varies = varies || unit > 0;
    }
    if (!varies) throw InputError("Every pixel of these images has the same value, so that they carry no signal (zero variance).");
}

ImageGrid imageGrid(const MomentNet& net) { return {net.dimensions == 1 ? 1 : 2, net.dimensions == 0 ? kDenseExtent : 2 * net.extent}; }

double imageOperations(const ImageGrid& grid) {
    const double e = static_cast<double>(grid.extent), pixels = grid.dimensions == 1 ? e : e * e;
    const double most = std::clamp(e / 2 - 1, 0.0, 1.0 * kMostWaves),
                 waves = 1 + most * (grid.dimensions == 1 ? 1 : std::numbers::pi / 2 * most);
    return pixels * (9 * waves + 100);
}

PointValues drawImages(const ImageGrid& grid, const ImageSet* set, Size samples, std::uint64_t seed, std::uint64_t draw) {
    if (set && samples > set->count)
        throw InputError("There are " + std::to_string(set->count) + " images, fewer than the " + std::to_string(samples) +
                         " samples asked.");
    const Size rows = grid.dimensions == 1 ? 1 : grid.extent, each = rows * grid.extent;
    PointValues images{samples, grid.dimensions, grid.extent, Matrix(samples * each, set ? set->channels : kColours)};
    if (set) {
        const auto weights = areaWeights(set->extent, grid.extent);
        const auto chosen = chosenImages(set->count, samples, seed, draw);
        for (Size s = 0; s < samples; ++s)
            resample(*set, chosen[s], grid.dimensions == 1, weights, grid.extent, images.values.row(s * each));
    } else {
        std::vector<SineCosine> circle;
        for (Size i = 0; i < grid.extent; ++i)
            circle.push_back(portableSineCosine(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(grid.extent)));
        for (Size s = 0; s < samples; ++s) {
            Rng rng = sampleStream(Purpose::Inputs, seed, draw, s);
            addField(rng, circle, rows, images.values.row(s * each));
        }
    }
    standardiseChannels(images);
    return images;
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

SignalAndNoise drawMomentInput(const MomentNet& net, MomentData data, Size samples, std::uint64_t seed, std::uint64_t draw,
                               const ImageSet* set) {
    if (samples < 1 || samples > 0xffffffffu)
        throw InputError("A random network takes at least one sample and fewer than 2³², not " + std::to_string(samples) + ".");
    const bool images = data == MomentData::Images;
    PointValues signal = images ? drawImages(imageGrid(net), set, samples, seed, draw) : gaussianSignal(net, data, samples, seed, draw);
    PointValues noise = whiteNoise(signal, seed, draw);
    if (!images) return {std::move(signal), std::move(noise), 0};
    const MomentWeights stem = drawStem(net, signal, seed, draw);
    if (net.dimensions > 0) return throughStem(net, {std::move(signal), std::move(noise), 0}, stem);
    return throughStem(net, {flattened(std::move(signal)), flattened(std::move(noise)), 0}, stem);
}

}  // namespace kappaflow
