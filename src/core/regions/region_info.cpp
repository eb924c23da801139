#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/regions/partition_state.h"

namespace kappaflow {

std::vector<std::uint16_t> statesOf(const Program& program, const DepthRecord& record, std::size_t depth, std::size_t face) {
    const DepthInfo& info = program.depths[depth - 1];
    const std::uint64_t* words = &record.words[face * record.wordsPerFace];
    std::vector<std::uint16_t> states(info.units);
    if (info.pools()) {
        for (std::size_t w = 0; w < info.units; ++w) states[w] = static_cast<std::uint16_t>(words[w / 4] >> (w % 4 * 16));
        return states;
    }
    const Operation& cut = program.operations[info.operations[0]];
    for (std::size_t b = 0; b < cut.blocks.size(); ++b)
        for (std::size_t i = 0; i < cut.blocks[b].bits.size(); ++i) {
            auto& state = states[cut.blocks[b].begin + cut.blocks[b].bits[i].column];
            state = static_cast<std::uint16_t>(state + (words[b] >> i & 1));
        }
    return states;
}

RegionMaps::RegionMaps(const Program& program, const std::vector<DepthRecord>& records) : program_(program), records_(records) {}

RegionMaps::Registers RegionMaps::begin() const {
    Registers registers(program_.registers);
    registers[0] = {0, 0, 1, 0, 0, 1};
    return registers;
}

void RegionMaps::everyFace(std::size_t shown, const Visit& visit) {
    start_.assign(records_.size(), {});
    children_.assign(records_.size(), {});
    std::size_t parents = 1;
    for (std::size_t d = 0; d < records_.size(); ++d) {
        const auto& parent = records_[d].parent;
        start_[d].assign(parents + 1, 0);
        for (std::uint32_t p : parent) ++start_[d][p + 1];
        for (std::size_t p = 0; p < parents; ++p) start_[d][p + 1] += start_[d][p];
        children_[d].resize(parent.size());
        std::vector<std::uint32_t> next(start_[d].begin(), start_[d].end() - 1);
        for (std::uint32_t f = 0; f < parent.size(); ++f) children_[d][next[parent[f]]++] = f;
        parents = parent.size();
    }
    only_.clear();
    shown_ = shown;
    descend(0, 0, 0, begin(), visit);
}

void RegionMaps::oneFace(std::uint32_t face, std::size_t shown, const Visit& visit) {
    shown_ = shown;
    only_.assign(records_.size() + 1, face);
    for (std::size_t d = records_.size(); d > 0; --d) only_[d - 1] = records_[d - 1].parent[only_[d]];
    descend(0, 0, 0, begin(), visit);
}

/// Operations up to the next that cuts; from there once for every child.
void RegionMaps::descend(std::size_t operation, std::size_t depth, std::uint32_t face, Registers registers, const Visit& visit) {
    const auto& ops = program_.operations;
    while (operation < ops.size() && !ops[operation].cuts && ops[operation].pools == 0) make(ops[operation++], registers);
    if (operation == ops.size() || depth == records_.size()) return visit(face, registers[shown_]);

    const DepthInfo& info = program_.depths[depth];
    const Operation& cut = ops[operation];
    std::size_t next = operation + 1;
    if (info.pools())
        while (next < ops.size() && ops[next].pools == cut.pools) ++next;
    else
        make(cut, registers);
    const auto child = [&](std::uint32_t f) {
        Registers own = registers;
        if (info.pools())
            pool(info, depth + 1, f, own);
        else
            applyStates(cut, own[cut.target], depth + 1, f);
        descend(next, depth + 1, f, std::move(own), visit);
    };
    if (!only_.empty()) return child(only_[depth + 1]);
    for (std::uint32_t i = start_[depth][face]; i < start_[depth][face + 1]; ++i) child(children_[depth][i]);
}

void RegionMaps::make(const Operation& op, Registers& registers) {
    const std::size_t stride = op.width;
    Register made(kRows * stride + 8);
    const std::size_t sourceWidth = registers[op.source].size() / kRows;
    for (std::size_t row = 0; row < kRows; ++row) {
        const double* x = &registers[op.source][row * sourceWidth];
        double* y = &made[row * stride];
        if (op.kind == Operation::Kind::Map) {
            op.map.gather(x, inputs_);
            op.map.apply(x, inputs_, 0, op.width, y, row == 0);
        } else if (op.kind == Operation::Kind::Sum) {
            const double* other = &registers[op.other][row * sourceWidth];
            for (std::size_t i = 0; i < op.width; ++i) y[i] = op.scale * x[i] + op.otherScale * other[i];
        } else {
            std::copy_n(x, op.width, y);
        }
    }
    made.resize(kRows * stride);
    for (std::size_t r : op.release)
        if (r != shown_) registers[r].clear();
    registers[op.target] = std::move(made);
}

void RegionMaps::applyStates(const Operation& op, Register& z, std::size_t depth, std::uint32_t face) const {
    const auto states = statesOf(program_, records_[depth - 1], depth, face);
    for (std::size_t i = 0; i < op.width; ++i) {
        const LinearPieces& f = op.functions.of(i);
        for (std::size_t row = 0; row < kRows; ++row) z[row * op.width + i] *= f.slopes[states[i]];
        z[i] += f.offsets[states[i]];
    }
}

void RegionMaps::pool(const DepthInfo& info, std::size_t depth, std::uint32_t face, Registers& registers) const {
    const auto states = statesOf(program_, records_[depth - 1], depth, face);
    const Register& x = registers[info.source];
    const std::size_t width = x.size() / kRows;
    Register largest(kRows * info.units);
    for (std::size_t row = 0; row < kRows; ++row)
        for (std::size_t w = 0; w < info.units; ++w) largest[row * info.units + w] = x[row * width + info.windows[w][states[w]]];
    registers[info.target] = std::move(largest);
}

/// Gauss: area times gradient is the integral of y times the outward normal, exact for an affine y.
std::vector<double> meansOnFaces(const RegionMesh& mesh, const std::vector<double>& atVertex) {
    std::vector<double> means(mesh.faces());
    for (std::size_t f = 0; f < means.size(); ++f) {
        const std::size_t begin = mesh.faceStart[f], end = mesh.faceStart[f + 1];
        const auto corner = [&](std::size_t i) { return mesh.corners[i]; };
        const Vec2 a = mesh.vertices[corner(begin)];
        double area = 0, sum = 0, plain = 0;
        for (std::size_t i = begin; i < end; ++i) plain += atVertex[corner(i)];
        // The triangles of a fan, by area.
        for (std::size_t i = begin + 1; i + 1 < end; ++i) {
            const Vec2 b = mesh.vertices[corner(i)] - a, c = mesh.vertices[corner(i + 1)] - a;
            const double triangle = b.x * c.y - b.y * c.x;
            area += triangle;
            sum += triangle * (atVertex[corner(begin)] + atVertex[corner(i)] + atVertex[corner(i + 1)]) / 3;
        }
        means[f] = area > 0 ? sum / area : plain / static_cast<double>(end - begin);
    }
    return means;
}

std::vector<double> slopeNorms(const RegionMesh& mesh) {
    std::vector<double> norms(mesh.outputs == 0 ? 0 : mesh.faces());
    for (std::size_t f = 0; f < norms.size(); ++f) {
        const std::size_t begin = mesh.faceStart[f], end = mesh.faceStart[f + 1], base = mesh.corners[begin];
        const double doubled = 2 * faceArea(mesh, f);
        double squares = 0;
        for (std::size_t o = 0; o < mesh.outputs; ++o) {
            Vec2 sum;
            for (std::size_t i = begin; i < end; ++i) {
                const std::uint32_t a = mesh.corners[i], b = mesh.corners[i + 1 < end ? i + 1 : begin];
                const double y =
                    mesh.output[a * mesh.outputs + o] + mesh.output[b * mesh.outputs + o] - 2 * mesh.output[base * mesh.outputs + o];
                const Vec2 step = mesh.vertices[b] - mesh.vertices[a];
                sum = sum + Vec2{step.y, -step.x} * y;
            }
            squares += sum.x * sum.x + sum.y * sum.y;
        }
        norms[f] = doubled > 0 ? std::sqrt(squares) / doubled : 0;
    }
    return norms;
}

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

bool contains(const RegionMesh& mesh, std::int32_t number, Vec2 point) {
    const auto face = static_cast<std::size_t>(number);
    const std::size_t begin = mesh.faceStart[face], end = mesh.faceStart[face + 1];
    for (std::size_t i = begin; i < end; ++i) {
        const Vec2 a = mesh.vertices[mesh.corners[i]], b = mesh.vertices[mesh.corners[i + 1 < end ? i + 1 : begin]];
        // The smaller vertex first, so that both sides of an edge see the same rounding.
        const bool swap = b.x < a.x || (b.x == a.x && b.y < a.y);
        if ((swap ? -cross(a - b, point - b) : cross(b - a, point - a)) < 0) return false;
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
        std::vector<Crossing> found = passagesFromEnd();
        const bool closed = std::abs(std::abs(b_ - a_) - 2 * std::numbers::pi) < 1e-12;
        if (!closed || found.size() < 2 || found.front().face != found.back().face) return found;
        if (found.front().from > kShortest || found.back().to < 1 - kShortest) return found;
        found.back().to = 1 + found.front().to;
        found.erase(found.begin());
        return found;
    }

private:
    std::vector<Crossing> passagesFromEnd() const {
        std::vector<Crossing> found;
        for (std::size_t i = 0; i + 1 < meetings_.size(); ++i) {
            const Meeting &here = meetings_[i], &next = meetings_[i + 1];
            if (next.t - here.t <= kShortest) continue;
            const double angle = a_ + (b_ - a_) * (here.t + next.t) / 2;
            const Vec2 middle = centre_ + Vec2{std::cos(angle), std::sin(angle)} * radius_;
            std::int32_t face = -1;
            for (std::int32_t candidate : {here.left, here.right, next.left, next.right})
                if (face < 0 && candidate >= 0 && contains(mesh_, candidate, middle)) face = candidate;
            if (face < 0) face = faceAt(mesh_, middle);
            if (face >= 0) append(found, {static_cast<std::uint32_t>(face), here.t, next.t});
        }
        return found;
    }
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

std::int32_t faceAt(const RegionMesh& mesh, Vec2 point) {
    for (std::int32_t face = 0; face < static_cast<std::int32_t>(mesh.faces()); ++face)
        if (contains(mesh, face, point)) return face;
    return -1;
}

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
