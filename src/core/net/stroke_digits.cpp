#include "core/net/stroke_digits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "core/base/errors.h"
#include "core/base/portable_math.h"
#include "core/base/rng.h"
#include "core/net/digit_strokes.h"

namespace kappaflow {
namespace {

constexpr int kSide = static_cast<int>(kDigitSide), kSplinePieces = 5;
/// Pixels of an unscaled digit's height; the middle of the image.
constexpr double kDigitHeight = 19, kMiddle = (kSide - 1) / 2.0;
// Standard deviations of the wobble (of the height) and of the noise of a pixel, where ink is about 1.
constexpr double kWobble = 0.042, kPixelNoise = 0.05;
constexpr double kStrayDashes = 0.35;  ///< share of images with a stray dash

using Image = std::array<double, kDigitSide * kDigitSide>;

double between(Rng& rng, double lo, double hi) { return lo + (hi - lo) * rng.uniform(); }

/// Pixel coordinates of a digit's point: A (p − middle of the digit) + shift.
struct Placement {
    double xx, xy, yx, yy;
    Vec2 shift;
    Vec2 operator()(Vec2 p) const {
        const Vec2 q = p - Vec2{0.5, 0.5};
        return {xx * q.x + xy * q.y + shift.x, yx * q.x + yy * q.y + shift.y};
    }
};

Placement drawPlacement(Rng& rng) {
    const SineCosine turn = portableSineCosine(between(rng, -0.3, 0.3));
    const double shear = between(rng, -0.28, 0.28), high = kDigitHeight * between(rng, 0.78, 1.08), wide = high * between(rng, 0.75, 1.15);
    const double x = kMiddle + between(rng, -2.5, 2.5), y = kMiddle + between(rng, -2.5, 2.5);
    // Turn · shear · scale.
    return {
        turn.cosine * wide, (turn.cosine * shear - turn.sine) * high, turn.sine * wide, (turn.sine * shear + turn.cosine) * high, {x, y}};
}

/// Points that coincide stay together: corners and closed loops.
void wobble(DigitStrokes& strokes, Rng& rng) {
    std::vector<Vec2> from, to;
    for (Stroke& stroke : strokes)
        for (Vec2& p : stroke) {
            const auto known = std::find(from.begin(), from.end(), p);
            if (known == from.end()) {
                from.push_back(p);
                const double dx = kWobble * rng.gaussian();
                p = p + Vec2{dx, kWobble * rng.gaussian()};
                to.push_back(p);
            } else {
                p = to[static_cast<std::size_t>(known - from.begin())];
            }
        }
}

double distanceToSegment(Vec2 p, Vec2 from, Vec2 to) {
    const Vec2 along = to - from, way = p - from;
    const double square = dot(along, along);
    const double t = square > 0 ? std::clamp(dot(way, along) / square, 0.0, 1.0) : 0;
    const Vec2 off = way - along * t;
    return std::sqrt(dot(off, off));
}

/// Every pixel gets the ink of the nearest piece: full inside the pen's radius, fading over one pixel about it.
void inkSegment(Image& image, Vec2 from, Vec2 to, double radius, double ink) {
    const double reach = radius + 0.5;
    const auto first = [&](double lo) { return static_cast<int>(std::clamp(std::ceil(lo - reach), 0.0, kSide - 0.0)); };
    const auto last = [&](double hi) { return static_cast<int>(std::clamp(std::floor(hi + reach), -1.0, kSide - 1.0)); };
    for (int y = first(std::min(from.y, to.y)); y <= last(std::max(from.y, to.y)); ++y)
        for (int x = first(std::min(from.x, to.x)); x <= last(std::max(from.x, to.x)); ++x) {
            const double d = distanceToSegment({static_cast<double>(x), static_cast<double>(y)}, from, to);
            double& pixel = image[static_cast<std::size_t>(y * kSide + x)];
            pixel = std::max(pixel, ink * std::clamp(reach - d, 0.0, 1.0));
        }
}

void strayDash(Image& image, Rng& rng) {
    const Vec2 from{between(rng, 0, kSide - 1), between(rng, 0, kSide - 1)};
    const Vec2 to = from + Vec2{between(rng, -6, 6), between(rng, -6, 6)};
    const double ink = between(rng, 0.5, 1), radius = between(rng, 0.4, 0.9);
    inkSegment(image, from, to, radius, ink);
}

Image drawDigit(int digit, Rng& rng) {
    const std::vector<DigitStrokes> ways = waysToWrite(digit);
    DigitStrokes strokes = ways[static_cast<std::size_t>(rng.below(ways.size()))];
    wobble(strokes, rng);
    const Placement place = drawPlacement(rng);
    const double radius = between(rng, 0.5, 1.6), ink = between(rng, 0.7, 1);
    Image image{};
    for (const Stroke& stroke : strokes) {
        const std::vector<Vec2> line = smoothLine(stroke, kSplinePieces);
        for (std::size_t i = 1; i < line.size(); ++i) inkSegment(image, place(line[i - 1]), place(line[i]), radius, ink);
    }
    if (rng.uniform() < kStrayDashes) strayDash(image, rng);
    for (double& pixel : image) pixel += kPixelNoise * rng.gaussian();
    return image;
}

void standardiseTogether(Matrix& points) {
    const double count = static_cast<double>(points.values.size());
    double sum = 0, squares = 0;
    for (const double x : points.values) sum += x;
    for (double& x : points.values) x -= sum / count, squares += x * x;
    const double deviation = std::sqrt(squares / count);
    for (double& x : points.values) x /= deviation;
}

}  // namespace

LabelledPoints strokeDigits(std::size_t samples, std::uint64_t seed) {
    if (samples < 10 || samples > kMaxSamples)
        throw InputError("There are from 10 to " + std::to_string(kMaxSamples) + " digits to draw, not " + std::to_string(samples) + ".");
    LabelledPoints set{Matrix(kDigitSide * kDigitSide, samples), std::vector<int>(samples), {}};
    for (int digit = 0; digit < 10; ++digit) set.classes.push_back(std::to_string(digit));
    for (std::size_t i = 0; i < samples; ++i) {
        Rng rng(seed, Purpose::Data, i);
        set.labels[i] = static_cast<int>(i % 10);
        const Image image = drawDigit(set.labels[i], rng);
        for (std::size_t p = 0; p < image.size(); ++p) set.points(p, i) = image[p];
    }
    standardiseTogether(set.points);
    return set;
}

}  // namespace kappaflow
