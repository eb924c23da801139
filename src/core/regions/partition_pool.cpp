#include <algorithm>

#include "core/regions/partition_state.h"

namespace kappaflow {
namespace {

/// 16 bits a window, four to a word.
void setInput(std::uint64_t* words, std::size_t window, std::uint64_t input) { words[window / 4] |= input << (window % 4 * 16); }

}  // namespace

/// The rounds of the pooling cut along z_i = z_j wherever they pass, also where a third input is larger. What they cut in vain is
/// joined again: faces with the same largest inputs make one convex face.
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
    const auto same = [&](std::uint32_t f, std::uint32_t g) {
        return std::equal(&largest[f * wordsPerFace], &largest[f * wordsPerFace] + wordsPerFace, &largest[g * wordsPerFace]);
    };
    std::vector<bool> remove(mesh.edges.size());
    for (std::size_t h = 0; h < remove.size(); ++h) {
        const auto& edge = mesh.edges[h];
        const bool ofDepth =
            mesh.label[h] >= 0 && program.boundaries[static_cast<std::size_t>(mesh.label[h])].depth == static_cast<int>(records.size()) + 1;
        remove[h] = ofDepth && same(edge.face, mesh.edges[edge.twin].face);
    }
    const std::size_t vertices = mesh.vertices;
    const auto removal = mesh.removeEdges(remove, depthVertices);

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
