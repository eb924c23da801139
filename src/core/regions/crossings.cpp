#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/regions/region_info.h"

namespace kappaflow {
namespace {

constexpr double kShortest = 1e-13;  ///< of the curve's parameter: what touches a corner

int signOf(double x) { return (x > 0) - (x < 0); }

/// Appends a passage; one that goes on in the same face makes the last one longer.
void append(std::vector<Crossing>& all, const Crossing& next) {
    if (!all.empty() && all.back().face == next.face && next.from - all.back().to <= kShortest)
        all.back().to = next.to;
    else
        all.push_back(next);
}

/// Parameters at which the line through p and q enters and leaves every face. On which side of it a vertex lies is decided once.
class LineSweep {
public:
    LineSweep(const RegionMesh& mesh, Vec2 p, Vec2 q)
        : mesh_(mesh), p_(p), step_(q - p), interval_(mesh.faces()), side_(mesh.vertices.size()) {
        for (std::size_t v = 0; v < side_.size(); ++v) side_[v] = cross(step_, mesh.vertices[v] - p);
        for (const auto& edge : mesh.edges) take(edge);
    }
    /// Passages within [0, 1], in their order.
    std::vector<Crossing> passages() const {
        std::vector<Crossing> found;
        for (std::uint32_t f = 0; f < interval_.size(); ++f) {
            const double from = std::max(0.0, interval_[f].from), to = std::min(1.0, interval_[f].to);
            if (!interval_[f].passedBy && to - from > kShortest) found.push_back({f, from, to});
        }
        std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
        return found;
    }

private:
    struct Interval {
        double from = std::numeric_limits<double>::infinity(), to = -std::numeric_limits<double>::infinity();
        bool passedBy = false;  ///< runs along one of its sides, and the face beyond has it
    };

    double along(Vec2 point) const { return dot(point - p_, step_) / dot(step_, step_); }
    void add(const RegionMesh::Edge& edge, double t) {
        for (std::int32_t face : {edge.left, edge.right}) {
            if (face < 0) continue;
            Interval& interval = interval_[static_cast<std::size_t>(face)];
            interval.from = std::min(interval.from, t);
            interval.to = std::max(interval.to, t);
        }
    }
    void take(const RegionMesh::Edge& edge) {
        const double a = side_[edge.from], b = side_[edge.to];
        const Vec2 from = mesh_.vertices[edge.from], to = mesh_.vertices[edge.to];
        if (signOf(a) * signOf(b) < 0) add(edge, along(from + (to - from) * (a / (a - b))));
        if (a == 0) add(edge, along(from));
        if (b == 0) add(edge, along(to));
        if (a != 0 || b != 0 || edge.right < 0) return;
        // Along an edge it counts for the face to the left.
        const bool same = dot(to - from, step_) > 0;
        interval_[static_cast<std::size_t>(same ? edge.right : edge.left)].passedBy = true;
    }

    const RegionMesh& mesh_;
    Vec2 p_, step_;
    std::vector<Interval> interval_;
    std::vector<double> side_;
};

/// Where an arc meets an edge.
struct Meeting {
    double t = 0;
    std::int32_t left = -1, right = -1;
};

bool contains(const RegionMesh& mesh, std::int32_t face, Vec2 point) {
    if (face < 0) return false;
    const std::size_t begin = mesh.faceStart[static_cast<std::size_t>(face)], end = mesh.faceStart[static_cast<std::size_t>(face) + 1];
    for (std::size_t i = begin; i < end; ++i) {
        const Vec2 a = mesh.vertices[mesh.corners[i]], b = mesh.vertices[mesh.corners[i + 1 < end ? i + 1 : begin]];
        if (cross(b - a, point - a) < 0) return false;
    }
    return true;
}

class ArcSweep {
public:
    ArcSweep(const RegionMesh& mesh, Vec2 centre, double radius, double a, double b)
        : mesh_(mesh), centre_(centre), radius_(radius), a_(a), b_(b) {
        meetings_.push_back({0, -1, -1});
        meetings_.push_back({1, -1, -1});
        for (const auto& edge : mesh.edges) take(edge);
        std::sort(meetings_.begin(), meetings_.end(), [](const auto& x, const auto& y) { return x.t < y.t; });
    }
    std::vector<Crossing> passages() const {
        std::vector<Crossing> found;
        for (std::size_t i = 0; i + 1 < meetings_.size(); ++i) {
            const Meeting &here = meetings_[i], &next = meetings_[i + 1];
            if (next.t - here.t <= kShortest) continue;
            const double angle = a_ + (b_ - a_) * (here.t + next.t) / 2;
            const Vec2 middle = centre_ + Vec2{std::cos(angle), std::sin(angle)} * radius_;
            std::int32_t face = -1;
            for (std::int32_t candidate : {here.left, here.right, next.left, next.right})
                if (face < 0 && contains(mesh_, candidate, middle)) face = candidate;
            if (face < 0) face = faceAt(mesh_, middle);
            if (face >= 0) append(found, {static_cast<std::uint32_t>(face), here.t, next.t});
        }
        return found;
    }

private:
    void take(const RegionMesh::Edge& edge) {
        const Vec2 from = mesh_.vertices[edge.from] - centre_, step = mesh_.vertices[edge.to] - mesh_.vertices[edge.from];
        const double squared = dot(step, step), nearest = -dot(from, step) / squared;
        const Vec2 foot = from + step * nearest;
        const double rest = (radius_ * radius_ - dot(foot, foot)) / squared;
        if (rest < 0) return;
        for (double u : {nearest - std::sqrt(rest), nearest + std::sqrt(rest)}) {
            if (u < 0 || u > 1) continue;
            const Vec2 point = from + step * u;
            add(std::atan2(point.y, point.x), edge);
        }
    }
    void add(double angle, const RegionMesh::Edge& edge) {
        constexpr double kTurn = 2 * std::numbers::pi;
        const double low = std::min(a_, b_), high = std::max(a_, b_);
        // At most one turn: the first angle from `low` on, and the one a turn later where both ends are the same point.
        const double first = angle + kTurn * std::ceil((low - angle) / kTurn);
        for (int turn = 0; turn < 2; ++turn) {
            const double at = first + kTurn * turn;
            if (at <= high) meetings_.push_back({(at - a_) / (b_ - a_), edge.left, edge.right});
        }
    }

    const RegionMesh& mesh_;
    Vec2 centre_;
    double radius_, a_, b_;
    std::vector<Meeting> meetings_;
};

}  // namespace

std::vector<Crossing> crossedFaces(const RegionMesh& mesh, const Polygon& polyline) {
    double length = 0, before = 0;
    for (std::size_t i = 0; i + 1 < polyline.size(); ++i)
        length += std::hypot(polyline[i + 1].x - polyline[i].x, polyline[i + 1].y - polyline[i].y);
    std::vector<Crossing> all;
    for (std::size_t i = 0; i + 1 < polyline.size(); ++i) {
        const double part = std::hypot(polyline[i + 1].x - polyline[i].x, polyline[i + 1].y - polyline[i].y) / length;
        if (!(part > 0)) continue;
        for (const Crossing& c : LineSweep(mesh, polyline[i], polyline[i + 1]).passages())
            append(all, {c.face, before + part * c.from, before + part * c.to});
        before += part;
    }
    return all;
}

std::vector<Crossing> crossedFacesOfArc(const RegionMesh& mesh, Vec2 centre, double radius, double a, double b) {
    if (!(radius > 0) || a == b) return {};
    return ArcSweep(mesh, centre, radius, a, b).passages();
}

}  // namespace kappaflow
