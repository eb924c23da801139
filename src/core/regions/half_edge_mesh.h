#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kappaflow {

/// A planar subdivision of a polygon into faces, edges paired as half-edges. Half-edges of a face run counterclockwise; those outside
/// the polygon have the face kOutside and run clockwise about it. Vertices are numbers alone.
struct HalfEdgeMesh {
    static constexpr std::uint32_t kOutside = 0xffffffffU;

    struct HalfEdge {
        std::uint32_t next, twin, origin, face;
    };

    std::vector<HalfEdge> edges;          ///< half-edges
    std::vector<std::int32_t> label;      ///< [half-edge] boundary that drew it; −1: the polygon's border
    std::vector<std::uint32_t> faceEdge;  ///< [face] one of its half-edges
    std::uint32_t vertices = 0;

    std::size_t faces() const { return faceEdge.size(); }

    /// One face with `corners` vertices 0, 1, …
    void reset(std::uint32_t corners);
    /// Puts `vertex` on half-edge h and its twin; h then ends there. The half-edge from it on is the returned one, which is next[h].
    std::uint32_t splitEdge(std::uint32_t h, std::uint32_t vertex);
    /// Joins the origins of two half-edges of one face, a != b and neither next to the other. The loop through a becomes the new face,
    /// which is returned; `beforeA`, `beforeB`: the half-edges that end where a and b begin.
    std::uint32_t splitFace(std::uint32_t a, std::uint32_t beforeA, std::uint32_t b, std::uint32_t beforeB, std::int32_t boundary);

    /// Takes out the edges h with remove[h] set (both halves alike), joins the faces at their sides, takes out the vertices from `oldest`
    /// on that are left with two edges, and renumbers everything in order. Faces keep the order of their least member.
    struct Removal {
        std::vector<std::uint32_t> face;  ///< [old face] new number
        std::vector<std::uint32_t> kept;  ///< [new vertex] old number, rising
    };
    Removal removeEdges(const std::vector<bool>& remove, std::uint32_t oldest);
};

}  // namespace kappaflow
