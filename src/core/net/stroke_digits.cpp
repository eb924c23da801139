#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/errors.h"
#include "core/base/geometry.h"
#include "core/base/portable_math.h"
#include "core/base/rng.h"
#include "core/net/data_sets.h"

namespace kappaflow {
namespace {

/// A line of the pen through its points, smooth but where a point stands twice: a corner. x to the right, y down, the digit fills the
/// unit square's height.
using Stroke = std::vector<Vec2>;
/// One way to write a digit.
using DigitStrokes = std::vector<Stroke>;
using Image = std::array<double, kDigitSide * kDigitSide>;

/// The ways to write digits 0 … 9: points in hundredths of the digit's height, strokes between slashes.
constexpr std::array<std::array<std::string_view, 3>, 10> kWays{{
    {{"50,2 27,12 17,50 27,88 50,98 73,88 83,50 73,12 50,2", "62,6 35,10 22,45 30,85 52,97 74,80 78,40 65,10 42,3"}},
    {{"52,0 48,100", "30,24 52,2 52,2 52,100", "30,24 52,2 52,2 52,98 / 28,98 76,98"}},
    {{"20,28 30,6 55,0 78,14 74,40 48,70 18,97 18,97 85,97", "20,25 35,4 62,4 78,25 60,60 32,92 18,90 22,78 42,84 62,96 86,90"}},
    {{"20,14 42,0 70,8 74,30 56,45 42,48 42,48 62,52 80,70 70,93 42,100 18,86",
      "20,3 76,3 76,3 45,40 45,40 72,50 80,72 66,94 40,100 17,87"}},
    {{"62,2 15,66 15,66 88,66 / 62,2 62,100", "30,3 20,36 28,54 52,56 80,50 / 76,5 70,100"}},
    {{"78,3 30,3 30,3 24,44 24,44 50,38 78,50 80,76 60,97 34,99 15,86", "75,6 36,4 28,30 36,45 62,50 76,70 62,94 20,96"}},
    {{"68,4 40,20 22,50 20,78 36,98 60,98 78,80 70,58 46,54 24,70", "50,0 30,35 20,72 34,96 60,97 74,78 60,60 36,64 22,80"}},
    {{"16,5 82,5 82,5 50,50 36,100", "16,5 82,5 82,5 50,50 36,100 / 28,50 72,50", "16,20 18,4 18,4 82,5 82,5 45,98"}},
    {{"72,14 50,0 28,14 34,36 64,58 78,80 50,100 22,80 36,58 66,36 72,14",
      "50,0 28,12 28,34 50,46 72,34 72,12 50,0 / 50,46 22,60 20,86 50,100 80,86 78,60 50,46"}},
    {{"76,22 58,2 32,6 22,30 36,50 62,46 76,22 76,22 72,60 62,100",
      "76,22 58,2 32,6 22,30 36,50 62,46 76,22 76,22 78,60 68,90 45,100 24,92"}},
}};

std::vector<DigitStrokes> waysToWrite(int digit) {
    std::vector<DigitStrokes> ways;
    for (const std::string_view text : kWays[static_cast<std::size_t>(digit)]) {
        if (text.empty()) break;
        DigitStrokes& strokes = ways.emplace_back(1);
        int number = 0;
        Vec2 point;
        // A point ends at a blank, a stroke at a slash.
        for (std::size_t i = 0; i <= text.size(); ++i) {
            const char c = i < text.size() ? text[i] : ' ';
            if (c >= '0' && c <= '9') number = 10 * number + (c - '0');
            if (c == ',') point.x = std::exchange(number, 0) / 100.0;
            if (c == '/') strokes.emplace_back();
            if (c != ' ' || text[i - 1] == '/') continue;
            point.y = std::exchange(number, 0) / 100.0;
            strokes.back().push_back(point);
        }
    }
    return ways;
}

/// The smooth curve through a stroke's points as a polyline: Catmull–Rom splines, closed ones where the first point is also the last,
/// `pieces` straight pieces between two points.
std::vector<Vec2> smoothLine(const Stroke& stroke, int pieces) {
    assert(stroke.size() >= 2 && pieces >= 1);
    const std::size_t last = stroke.size() - 1;
    const bool closed = stroke.front().x == stroke.back().x && stroke.front().y == stroke.back().y;
    const auto tangent = [&](std::size_t i) {
        const Vec2 before = i > 0 ? stroke[i - 1] : closed ? stroke[last - 1] : stroke[0];
        const Vec2 after = i < last ? stroke[i + 1] : closed ? stroke[1] : stroke[last];
        return (after - before) * 0.5;
    };
    std::vector<Vec2> line{stroke.front()};
    for (std::size_t i = 0; i < last; ++i) {
        const Vec2 from = stroke[i], to = stroke[i + 1], leaving = tangent(i), arriving = tangent(i + 1);
        if (from.x == to.x && from.y == to.y) continue;
        for (int k = 1; k <= pieces; ++k) {
            const double t = static_cast<double>(k) / pieces, u = 1 - t;
            line.push_back(from * (u * u * (1 + 2 * t)) + leaving * (u * u * t) + to * (t * t * (3 - 2 * t)) - arriving * (t * t * u));
        }
    }
    return line;
}

constexpr int kSide = static_cast<int>(kDigitSide), kSplinePieces = 5;
/// Pixels of an unscaled digit's height; the middle of the image.
constexpr double kDigitHeight = 19, kMiddle = (kSide - 1) / 2.0;
// Standard deviations of the wobble (of the height) and of the noise of a pixel, where ink is about 1.
constexpr double kWobble = 0.042, kPixelNoise = 0.05;
constexpr double kStrayDashes = 0.35;  ///< share of images with a stray dash

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

LabelledPoints strokeDigits(std::size_t samples, std::uint64_t seed, const std::function<void()>& tick) {
    if (samples < 10 || samples > kMaxSamples)
        throw InputError("There are from 10 to " + std::to_string(kMaxSamples) + " digits to draw, not " + std::to_string(samples) + ".");
    LabelledPoints set{Matrix(kDigitSide * kDigitSide, samples), std::vector<int>(samples), {}};
    for (int digit = 0; digit < 10; ++digit) set.classes.push_back(std::to_string(digit));
    for (std::size_t i = 0; i < samples; ++i) {
        if (tick && i % 16 == 0) tick();
        Rng rng(seed, Purpose::Data, i);
        set.labels[i] = static_cast<int>(i % 10);
        const Image image = drawDigit(set.labels[i], rng);
        for (std::size_t p = 0; p < image.size(); ++p) set.points(p, i) = image[p];
    }
    standardiseTogether(set.points);
    return set;
}

}  // namespace kappaflow
