#include <algorithm>
#include <cmath>

#include "core/base/errors.h"
#include "core/base/portable_math.h"
#include "core/base/rng.h"
#include "scenes/expressivity/activation_regions/model_setup.h"

namespace kappaflow::regions {
namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

Vector combined(const Vector& a, double s, const Vector& b, double t) {
    Vector sum(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) sum[i] = s * a[i] + t * b[i];
    return sum;
}

Vector axis(std::size_t inputs, std::size_t which) {
    Vector unit(inputs);
    unit[which] = 1;
    return unit;
}

/// Three orthonormal directions: the axes of three inputs, random ones of more.
std::vector<Vector> frameOf(std::size_t inputs, std::uint64_t seed) {
    std::vector<Vector> frame;
    for (std::size_t k = 0; k < 3; ++k) {
        Vector e = axis(inputs, k);
        if (inputs > 3) {
            Rng rng(seed, Purpose::Inputs, k);
            for (double& entry : e) entry = rng.gaussian();
            for (const Vector& before : frame) e = combined(e, 1, before, -dot(e, before));
            e = combined(e, 1 / std::sqrt(dot(e, e)), e, 0);
        }
        frame.push_back(std::move(e));
    }
    return frame;
}

constexpr double kDegree = 3.14159265358979323846 / 180;

/// Cosine and sine.
Vec2 turnOf(double degrees) {
    const SineCosine turn = portableSineCosine(degrees * kDegree);
    return {turn.cosine, turn.sine};
}

Slice turnedSlice(const Values& v, std::size_t inputs) {
    const auto frame = frameOf(inputs, v.seed());
    const Vec2 round = turnOf(v.number("azimuth")), lean = turnOf(v.number("tilt"));
    const Vector across = combined(frame[0], -round.y, frame[1], round.x);
    Slice slice;
    slice.u = combined(frame[0], round.x, frame[1], round.y);
    slice.v = combined(across, lean.x, frame[2], lean.y);
    slice.origin = combined(across, -lean.y * v.number("shift"), frame[2], lean.x * v.number("shift"));
    return slice;
}

std::string wrongLength(const char* key, std::size_t wanted, std::size_t found) {
    return std::string(key) + " takes " + std::to_string(wanted) + " numbers here, not " + std::to_string(found) +
           ": the plane turned by hand is shown.";
}

/// Replaces what is given, when anything is.
bool take(const Values& v, const char* key, Vector& into, std::vector<std::string>& warnings) {
    const Vector& list = v.list(key);
    if (list.empty()) return true;
    if (list.size() != into.size()) {
        warnings.push_back(wrongLength(key, into.size(), list.size()));
        return false;
    }
    into = list;
    return true;
}

Slice throughPoints(const Vector& corners, std::size_t inputs) {
    const auto at = [&](std::size_t k) {
        const auto begin = corners.begin() + static_cast<std::ptrdiff_t>(k * inputs);
        return Vector(begin, begin + static_cast<std::ptrdiff_t>(inputs));
    };
    return sliceAround(at(0), at(1), at(2));
}

bool isPlane(const Slice& slice, std::size_t inputs) {
    try {
        validate(slice, inputs);
        return true;
    } catch (const InputError&) {
        return false;
    }
}

}  // namespace

Slice sliceOf(const Values& v, std::size_t inputs, std::vector<std::string>& warnings) {
    if (inputs == 2) return sliceOfInputs(2);
    const Slice turned = turnedSlice(v, inputs);
    if (v.is("plane", "given")) {
        Slice slice = turned;
        slice.origin = Vector(inputs);
        if (!take(v, "origin", slice.origin, warnings) || !take(v, "direction1", slice.u, warnings) ||
            !take(v, "direction2", slice.v, warnings))
            return turned;
        if (isPlane(slice, inputs)) return slice;
        warnings.push_back("The two directions are parallel, or one of them is 0: the plane turned by hand is shown.");
    } else if (v.is("plane", "points")) {
        const Vector& corners = v.list("corners");
        if (corners.size() != 3 * inputs) {
            warnings.push_back(wrongLength("corners", 3 * inputs, corners.size()));
            return turned;
        }
        try {
            return throughPoints(corners, inputs);
        } catch (const InputError&) {
            warnings.push_back("The three points lie on one line: the plane turned by hand is shown.");
        }
    }
    return turned;
}

}  // namespace kappaflow::regions
