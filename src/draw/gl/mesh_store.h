#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "draw/painter.h"

namespace kappaflow {

/// The meshes on the screen as GL buffers, kept by id: points go up when their version changes, colours when one of them does; those
/// not asked for in the last two frames are deleted. Needs a current GL context.
class MeshStore {
public:
    struct Mesh {
        unsigned array = 0, buffers[3] = {0, 0, 0};
        int count = 0;  ///< indices of cells, instances of segments
        std::uint64_t version = 0, colors = 0;
        int age = 0;
    };
    /// Attributes 0: two floats of the plane, 1: four bytes of colour; elements are triangles. The mesh is sound.
    const Mesh& cells(std::string_view id, const CellMesh&);
    /// Attribute 0: four floats, both ends, advancing once per instance.
    const Mesh& segments(std::string_view id, const SegmentMesh&);
    void endFrame();
    void forget() { meshes_.clear(); }
    void destroy();
    int uploads() const { return uploads_; }

private:
    Mesh& entry(char kind, std::string_view id);
    void uploadCells(Mesh&, const CellMesh&);
    void uploadColors(Mesh&, const CellMesh&);
    std::map<std::string, Mesh, std::less<>> meshes_;
    int uploads_ = 0;
};

}  // namespace kappaflow
