#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/regions/partition_state.h"

namespace kappaflow {
namespace {

/// Numbers handled in one step(): a few milliseconds.
constexpr double kStepWork = 4e6;

/// Bytes a face takes beside its vertices' rows: half-edges and labels, in the mesh, in a snapshot and in what is handed out.
constexpr double kFaceBytes = 300;

/// Of the window's size, but no less than its coordinates can tell.
double nearestOf(const Polygon& window) {
    double size = 0, farthest = 0;
    for (const Vec2& p : window) {
        size = std::max({size, std::abs(p.x - window[0].x), std::abs(p.y - window[0].y)});
        farthest = std::max({farthest, std::abs(p.x), std::abs(p.y)});
    }
    return std::max(1e-12 * size, 8 * std::numeric_limits<double>::epsilon() * farthest);
}

/// Whether a sum is cut, whose tolerance is made of its terms' rounding.
bool tracksRounding(const Program& program) {
    return std::any_of(program.operations.begin(), program.operations.end(),
                       [](const Operation& op) { return op.cuts && op.kind != Operation::Kind::Map; });
}

}  // namespace

std::shared_ptr<ValueRows> Partition::State::rowsOf(std::size_t width) {
    std::shared_ptr<ValueRows>* found = nullptr;
    for (auto& rows : pool) {
        if (rows.use_count() > 1) continue;
        if (!found || rows->width() == width) found = &rows;
    }
    if (!found) {
        pool.push_back(std::make_shared<ValueRows>(width));
        return pool.back();
    }
    if ((*found)->width() != width) (*found)->reshape(width);
    return *found;
}

double Partition::State::liveRowBytes() const {
    double bytes = sizeof(VertexSigns);
    for (const auto& rows : registers)
        if (rows) bytes += 8.0 * static_cast<double>(rows->stride());
    return bytes;
}

bool Partition::State::overBudget(double moreVertices) const {
    const double faces = static_cast<double>(mesh.faces());
    double words = 0;
    for (const auto& record : records)
        words += static_cast<double>(record.words.size()) * 8 + static_cast<double>(record.parent.size()) * 4;
    return faces > options.regionBudget ||
           (static_cast<double>(mesh.vertices) + moreVertices) * rowBytes + faces * kFaceBytes + words > options.byteBudget;
}

int Partition::State::reusableDepth(const Program& next, const Polygon& nextWindow, const PartitionOptions& nextOptions) const {
    if (window != nextWindow || tracksRounding(program) != tracksRounding(next)) return 0;
    std::size_t same = 0;
    while (same < program.operations.size() && same < next.operations.size() && program.operations[same] == next.operations[same]) ++same;
    for (int depth = std::min<int>(static_cast<int>(records.size()), static_cast<int>(next.depths.size())); depth > 0; --depth) {
        const auto& snapshot = snapshots[static_cast<std::size_t>(depth) - 1];
        if (snapshot && snapshot->nextOperation <= same && options.byteBudget == nextOptions.byteBudget &&
            static_cast<double>(snapshot->mesh.faces()) <= nextOptions.regionBudget)
            return depth;
    }
    return 0;
}

void Partition::State::start(Program next, const Polygon& nextWindow, const PartitionOptions& nextOptions) {
    reused = reusableDepth(next, nextWindow, nextOptions);
    program = std::move(next);
    window = nextWindow;
    nearest = nearestOf(window);
    joinsLines = std::any_of(program.depths.begin(), program.depths.end(), [](const auto& depth) { return depth.pools(); });
    options = nextOptions;
    limit = static_cast<int>(program.depths.size());
    shownProgress = 0;
    restart(reused);
}

/// From the snapshot of a depth, or from the bare window.
void Partition::State::restart(int depth) {
    done = exceeded = false;
    certificate.reset();
    regionMesh.reset();
    records.resize(static_cast<std::size_t>(depth));
    while (snapshots.size() > static_cast<std::size_t>(depth)) {
        if (snapshots.back()) spareMeshes.push_back(std::move(snapshots.back()->mesh));
        snapshots.pop_back();
    }
    blockParent.clear();
    blockWord.clear();
    registers.assign(program.registers, nullptr);
    rounding.assign(tracksRounding(program) ? program.registers : 0, {});
    phase = Phase::Begin;
    if (depth > 0) {
        const Snapshot& from = *snapshots.back();
        mesh = from.mesh;
        std::copy_n(from.registers.begin(), std::min(from.registers.size(), registers.size()), registers.begin());
        std::copy_n(from.rounding.begin(), std::min(from.rounding.size(), rounding.size()), rounding.begin());
        operation = from.nextOperation;
        repairs = from.repairs;
    } else {
        mesh.reset(static_cast<std::uint32_t>(window.size()));
        registers[0] = rowsOf(2);
        registers[0]->reserve(window.size(), 0);
        for (std::size_t i = 0; i < window.size(); ++i) {
            registers[0]->row(i)[0] = window[i].x;
            registers[0]->row(i)[1] = window[i].y;
        }
        operation = repairs = 0;
    }
    snapshotBytes = 0;
    for (auto& snapshot : snapshots) {
        if (snapshot && snapshotBytes + snapshot->bytes > options.snapshotBytes) snapshot.reset();
        snapshotBytes += snapshot ? snapshot->bytes : 0;
    }
    depthVertices = mesh.vertices;
    if (limit == depth && limit < static_cast<int>(program.depths.size())) finish();
}

bool Partition::State::step() {
    double work = 0;
    while (!done && work < kStepWork) {
        if (phase == Phase::Begin) {
            beginOperation();
            work += 100;
            continue;
        }
        const double perRow = 16 + static_cast<double>(op().width) *
                                       (op().kind == Operation::Kind::Map ? static_cast<double>(op().map.inputs()) * 0.5 + 4 : 4);
        const std::size_t rows = static_cast<std::size_t>(std::max(1.0, (kStepWork - work) / perRow));
        const std::size_t end = std::min<std::size_t>(mesh.vertices, cursor + rows);
        switch (phase) {
            case Phase::Begin:
                break;
            case Phase::Fill:
                op().cuts ? fillBlock(cursor, end) : fillRows(cursor, end);
                work += perRow * static_cast<double>(end - cursor);
                cursor = end;
                if (cursor < mesh.vertices) break;
                phase = op().cuts ? Phase::Cut : Phase::End;
                cursor = 0;
                if (op().cuts) prepareCut();
                break;
            case Phase::Cut: {
                const std::uint32_t before = mesh.vertices;
                cutFace(static_cast<std::uint32_t>(cursor++));
                work += 20 + static_cast<double>(mesh.vertices - before) * (60 + 2.0 * static_cast<double>(op().width));
                exceeded = exceeded || overBudget(0);
                if (exceeded)
                    giveUpDepth();
                else if (cursor == rootFaces)
                    endBlock();
                break;
            }
            case Phase::Apply:
                applyFunctions(cursor, end);
                work += 4.0 * static_cast<double>((end - cursor) * (currentBlock().end - currentBlock().begin));
                cursor = end;
                if (cursor == mesh.vertices) beginBlock();
                break;
            case Phase::End:
                endOperation();
                work += 100 + static_cast<double>(mesh.edges.size());
                break;
        }
    }
    return !done;
}

void Partition::State::beginOperation() {
    if (operation == program.operations.size()) return finish();
    const Operation& now = op();
    const std::size_t width = now.cuts && !now.keepsTarget ? now.blocks[0].end : now.intoNext ? now.blocks[0].end : now.width;
    registers[now.target] = rowsOf(width);
    if (now.intoNext) {
        const Operation& next = program.operations[operation + 1];
        auto& sum = registers[next.target] = rowsOf(next.width);
        sum->reserve(mesh.vertices, 0);
        for (std::uint32_t v = 0; v < mesh.vertices; ++v) std::copy_n(next.map.bias().begin(), next.width, sum->row(v));
    }
    rowBytes = liveRowBytes();
    if (overBudget(0)) return giveUpDepth();
    registers[now.target]->reserve(mesh.vertices, 0);
    cursor = 0;
    largestInput = 0;
    phase = Phase::Fill;
    if (!now.cuts) return;
    target = registers[now.target].get();
    block = static_cast<std::size_t>(-1);
    beginBlock();
}

/// The next block of the operation that cuts, if there is one.
void Partition::State::beginBlock() {
    cursor = 0;
    if (++block == op().blocks.size()) {
        phase = Phase::End;
        return;
    }
    targetOffset = op().keepsTarget && !op().intoNext ? currentBlock().begin : 0;
    signs.resize(mesh.vertices);
    rootFaces = mesh.faces();
    blockParent.emplace_back(rootFaces);
    for (std::uint32_t f = 0; f < rootFaces; ++f) blockParent.back()[f] = f;
    blockWord.emplace_back(rootFaces);
    setTolerances();
    phase = Phase::Fill;
}

void Partition::State::endBlock() {
    cursor = 0;
    phase = Phase::Apply;
    if (!op().keepsTarget && !op().intoNext) beginBlock();
}

void Partition::State::endOperation() {
    const Operation& now = op();
    if (!rounding.empty()) noteRounding();
    for (std::size_t r : now.release) registers[r].reset();
    if (!now.keepsTarget || now.intoNext) registers[now.target].reset();
    const bool endsDepth = now.cuts && now.endsDepth;
    operation += now.intoNext ? 2 : 1;
    phase = Phase::Begin;
    if (endsDepth) endDepth();
}

DepthRecord Partition::State::recordOfBlocks() {
    DepthRecord record;
    const std::size_t blocks = blockWord.size();
    record.wordsPerFace = blocks;
    if (blocks == 1) {
        record.parent = std::move(blockParent[0]);
        record.words = std::move(blockWord[0]);
        return record;
    }
    record.parent.resize(mesh.faces());
    record.words.resize(mesh.faces() * blocks);
    for (std::uint32_t f = 0; f < mesh.faces(); ++f) {
        std::uint32_t at = f;
        for (std::size_t b = blocks; b-- > 0;) {
            record.words[f * blocks + b] = blockWord[b][at];
            at = blockParent[b][at];
        }
        record.parent[f] = at;
    }
    return record;
}

void Partition::State::endDepth() {
    const bool pools = program.depths[records.size()].pools();
    records.push_back(pools ? joinPooled() : recordOfBlocks());
    records.back().counts = {mesh.faces(), mesh.edges.size() / 2, mesh.vertices};
    blockParent.clear();
    blockWord.clear();
    depthVertices = mesh.vertices;
    keepSnapshot();
    if (static_cast<int>(records.size()) == limit && limit < static_cast<int>(program.depths.size())) finish();
}

void Partition::State::keepSnapshot() {
    snapshots.emplace_back();
    double bytes = static_cast<double>(mesh.edges.size()) * 20 + static_cast<double>(mesh.faces()) * 4;
    for (const auto& rows : registers)
        if (rows) bytes += 8.0 * static_cast<double>(rows->stride()) * mesh.vertices;
    if (snapshotBytes + bytes > options.snapshotBytes) return;
    snapshotBytes += bytes;
    HalfEdgeMesh copy;
    if (!spareMeshes.empty()) {
        copy = std::move(spareMeshes.back());
        spareMeshes.pop_back();
    }
    copy = mesh;
    snapshots.back() = Snapshot{std::move(copy), registers, rounding, operation, repairs, bytes};
}

/// The depth at work does not fit: back to the last one that is whole. In the maps after the last depth only the output is lost.
void Partition::State::giveUpDepth() {
    if (records.size() == program.depths.size()) {
        program.outputWidth = 0;
        return finish();
    }
    limit = static_cast<int>(records.size());
    int depth = limit;
    while (depth > 0 && !snapshots[static_cast<std::size_t>(depth) - 1]) --depth;
    restart(depth);
}

void Partition::State::finish() {
    if (static_cast<int>(records.size()) < static_cast<int>(program.depths.size())) program.outputWidth = 0;
    done = true;
}

double Partition::State::progress() const {
    if (done) return 1;
    const double depths = std::max(1, limit);
    double part = 0;
    if (operation < program.operations.size() && op().cuts && phase == Phase::Cut && rootFaces > 0)
        part = (static_cast<double>(block) + static_cast<double>(cursor) / static_cast<double>(rootFaces)) /
               static_cast<double>(op().blocks.size());
    shownProgress = std::max(shownProgress, std::min(0.99, (static_cast<double>(records.size()) + part) / depths));
    return shownProgress;
}

namespace {

/// 16 bits a window, four to a word.
void setInput(std::uint64_t* words, std::size_t window, std::uint64_t input) { words[window / 4] |= input << (window % 4 * 16); }
std::uint64_t inputOf(const std::uint64_t* words, std::size_t window) { return words[window / 4] >> (window % 4 * 16) & 0xffff; }

}  // namespace

std::int32_t Partition::State::pooledBoundary(std::size_t window, std::uint64_t input, std::uint64_t other) const {
    const DepthInfo& depth = program.depths[records.size()];
    const CutBlock& drawing = program.operations[depth.operations[std::max(input, other) - 1]].blocks[window / 64];
    return static_cast<std::int32_t>(drawing.firstBoundary + window % 64);
}

/// The rounds of the pooling cut along z_i = z_j wherever they pass, also where a third input is larger. What they cut in vain is
/// joined again: faces with the same largest inputs make one face, convex as an intersection of half-planes. Windows that overlap draw
/// the same lines: an edge that stays is named after the first window that differs there, whichever drew it.
DepthRecord Partition::State::joinPooled() {
    const DepthInfo& depth = program.depths[records.size()];
    const std::size_t rounds = depth.operations.size(), blocks = blockWord.size() / rounds;
    DepthRecord cut = recordOfBlocks();
    const std::size_t wordsPerFace = (depth.units + 3) / 4;
    std::vector<std::uint64_t> largest(mesh.faces() * wordsPerFace);
    for (std::size_t f = 0; f < mesh.faces(); ++f)
        for (std::size_t window = 0; window < depth.units; ++window)
            for (std::size_t round = rounds; round-- > 0;) {
                if (!(cut.words[f * cut.wordsPerFace + round * blocks + window / 64] >> (window % 64) & 1)) continue;
                setInput(&largest[f * wordsPerFace], window, round + 1);
                break;
            }
    std::vector<bool> remove(mesh.edges.size());
    for (std::size_t h = 0; h < remove.size(); ++h) {
        const auto& edge = mesh.edges[h];
        const bool ofDepth =
            mesh.label[h] >= 0 && program.boundaries[static_cast<std::size_t>(mesh.label[h])].depth == static_cast<int>(records.size()) + 1;
        if (!ofDepth) continue;
        const std::uint64_t *here = &largest[edge.face * wordsPerFace], *there = &largest[mesh.edges[edge.twin].face * wordsPerFace];
        const std::size_t word = static_cast<std::size_t>(std::mismatch(here, here + wordsPerFace, there).first - here);
        remove[h] = word == wordsPerFace;
        if (remove[h]) continue;
        std::size_t window = 4 * word;
        while (inputOf(here, window) == inputOf(there, window)) ++window;
        mesh.label[h] = pooledBoundary(window, inputOf(here, window), inputOf(there, window));
    }
    const std::size_t vertices = mesh.vertices;
    const auto removal = mesh.removeEdges(std::move(remove), depthVertices);

    DepthRecord joined;
    joined.wordsPerFace = wordsPerFace;
    joined.parent.resize(mesh.faces());
    joined.words.resize(mesh.faces() * wordsPerFace);
    for (std::size_t f = 0; f < removal.face.size(); ++f) {
        joined.parent[removal.face[f]] = cut.parent[f];
        std::copy_n(&largest[f * wordsPerFace], wordsPerFace, &joined.words[removal.face[f] * wordsPerFace]);
    }
    if (mesh.vertices == vertices) return joined;
    for (auto& rows : registers) {
        if (!rows) continue;
        const std::shared_ptr<ValueRows> old = rows;  // a snapshot may share it
        rows = rowsOf(old->width());
        rows->reserve(mesh.vertices, 0);
        for (std::size_t v = 0; v < removal.kept.size(); ++v) std::copy_n(old->row(removal.kept[v]), old->stride(), rows->row(v));
    }
    return joined;
}

}  // namespace kappaflow
