#include <algorithm>
#include <optional>

#include "core/regions/region_info.h"

namespace kappaflow {
namespace {

/// A point of a face's boundary between two corners: corner a plus share of the way to corner b.
struct BoundaryPoint {
    std::size_t a = 0, b = 0;
    double share = 0;
};

class FaceOutputs {
public:
    FaceOutputs(const RegionMesh& mesh, std::size_t face)
        : mesh_(mesh), corners_(mesh.corners.data() + mesh.faceStart[face]), count_(mesh.sides(face)) {}

    std::size_t corners() const { return count_; }
    double output(std::size_t corner, std::size_t o) const { return mesh_.output[corners_[corner] * mesh_.outputs + o]; }
    /// The largest output at every corner, when it is one and the same.
    std::optional<std::size_t> winner() const;
    /// The chord on which `f`(corner), affine on the face, is zero; one along a side only where f is positive on the face.
    template <class Function>
    bool zeroChord(Function f, BoundaryPoint chord[2]) const;
    double outputAt(const BoundaryPoint& p, std::size_t o) const { return output(p.a, o) + p.share * (output(p.b, o) - output(p.a, o)); }
    Vec2 at(const BoundaryPoint& p) const {
        const Vec2 a = mesh_.vertices[corners_[p.a]], b = mesh_.vertices[corners_[p.b]];
        return a + (b - a) * p.share;
    }

private:
    const RegionMesh& mesh_;
    const std::uint32_t* corners_;
    std::size_t count_;
};

std::optional<std::size_t> FaceOutputs::winner() const {
    std::size_t best = 0;
    for (std::size_t o = 1; o < mesh_.outputs; ++o)
        if (output(0, o) > output(0, best)) best = o;
    for (std::size_t c = 0; c < count_; ++c)
        for (std::size_t o = 0; o < mesh_.outputs; ++o)
            if (output(c, o) > output(c, best)) return std::nullopt;
    return best;
}

template <class Function>
bool FaceOutputs::zeroChord(Function f, BoundaryPoint chord[2]) const {
    std::size_t found = 0, zeros = 0;
    bool above = false, below = false;
    for (std::size_t c = 0; c < count_; ++c) {
        const std::size_t d = (c + 1) % count_;
        const double y = f(c), z = f(d);
        above = above || y > 0;
        below = below || y < 0;
        zeros += y == 0;
        const bool crosses = (y > 0 && z < 0) || (y < 0 && z > 0);
        if (!crosses && y != 0) continue;
        // Zeros in a row on one side: its ends.
        if (found < 2)
            chord[found++] = {c, d, crosses ? y / (y - z) : 0};
        else if (y == 0 && f((c + count_ - 1) % count_) == 0)
            chord[1] = {c, d, 0};
    }
    return found == 2 && above && (below || zeros >= 2);
}

void addZeros(const FaceOutputs& face, std::uint32_t number, std::vector<MeshSegment>& segments) {
    BoundaryPoint chord[2];
    if (face.zeroChord([&](std::size_t c) { return face.output(c, 0); }, chord))
        segments.push_back({face.at(chord[0]), face.at(chord[1]), number});
}

/// The part of the chord on which outputs i and j are equal where no other is larger.
void addTies(const FaceOutputs& face, std::uint32_t number, std::size_t outputs, std::size_t i, std::size_t j,
             std::vector<MeshSegment>& segments) {
    BoundaryPoint chord[2];
    if (!face.zeroChord([&](std::size_t c) { return face.output(c, i) - face.output(c, j); }, chord)) return;
    double from = 0, to = 1;
    for (std::size_t o = 0; o < outputs; ++o) {
        if (o == i || o == j) continue;
        const double start = face.outputAt(chord[0], i) - face.outputAt(chord[0], o),
                     end = face.outputAt(chord[1], i) - face.outputAt(chord[1], o);
        if (start < 0 && end < 0) return;
        if (start < 0) from = std::max(from, start / (start - end));
        if (end < 0) to = std::min(to, start / (start - end));
    }
    const Vec2 a = face.at(chord[0]), b = face.at(chord[1]);
    if (from < to) segments.push_back({a + (b - a) * from, a + (b - a) * to, number});
}

}  // namespace

std::vector<MeshSegment> decisionBoundary(const RegionMesh& mesh) {
    std::vector<MeshSegment> segments;
    for (std::uint32_t f = 0; f < mesh.faces() && mesh.outputs > 0; ++f) {
        const FaceOutputs face(mesh, f);
        if (mesh.outputs == 1) {
            addZeros(face, f, segments);
            continue;
        }
        if (face.winner()) continue;
        for (std::size_t i = 0; i < mesh.outputs; ++i)
            for (std::size_t j = i + 1; j < mesh.outputs; ++j) addTies(face, f, mesh.outputs, i, j, segments);
    }
    return segments;
}

}  // namespace kappaflow
