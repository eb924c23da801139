#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "draw/painter.h"

namespace kappaflow {

/// The source as this platform compiles it: GLSL ES 3.00 on the page; natively the same text as GLSL 3.30 core, which knows no
/// default precision.
std::string shaderSource(std::string_view glslEs, bool es);

/// Compiles shaders/NAME.vert and NAME.frag; attributes get the locations 0, 1, … in the order given. Returns the program, or 0 with
/// one sentence in `failure`.
unsigned makeProgram(std::string_view name, std::span<const char* const> attributes, std::string& failure);

/// Names a GL object for debuggers, where the driver can (KHR_debug). `kind`: GL_TEXTURE, GL_BUFFER, GL_PROGRAM, …
void labelObject(unsigned kind, unsigned object, std::string_view label);

/// The meshes on the screen as GL buffers, kept by id: points go up when their version changes, colours when one of them does; those
/// not asked for in the last two frames are deleted. What is drawn is drawn after the frame: another mesh of the same id in one frame has
/// buffers of its own. Needs a current GL context.
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
    /// Of this id, made if need be; none that holds another mesh in this frame.
    Mesh& entry(char kind, std::string_view id, std::uint64_t version, std::uint64_t colors = 0);
    void uploadCells(Mesh&, const CellMesh&);
    void uploadColors(Mesh&, const CellMesh&);
    std::map<std::string, Mesh, std::less<>> meshes_;
    int uploads_ = 0;
};

/// The part of a field, in shares of its width and height, outside of which no cell can be seen: it has no number, or has faded away.
Rect visiblePart(const Field2D&);

/// The fields on the screen as R32F textures of places on the colour map, kept by id and uploaded only when their numbers change;
/// those not asked for in the last two frames are deleted. Needs a current GL context.
class FieldTextures {
public:
    struct Texture {
        unsigned id = 0;
        Rect visible;  ///< visiblePart()
    };
    /// Without an id when the field has no cells, fewer values than cells, or is larger than a texture may be.
    Texture texture(std::string_view id, const Field2D&);
    void endFrame();
    void forget() { entries_.clear(), largest_ = 0; }
    void destroy();
    int count() const { return static_cast<int>(entries_.size()); }
    int uploads() const { return uploads_; }

private:
    struct Entry {
        unsigned texture = 0;
        Rect visible;
        std::uint64_t fingerprint = 0;
        int age = 0;
    };
    void upload(const Entry&, const Field2D&);
    std::map<std::string, Entry, std::less<>> entries_;
    int uploads_ = 0, largest_ = 0;
};

/// Changes with every number of the field, with the mapping and with whether it fades out (FNV-1a over the 64-bit words).
std::uint64_t fingerprint(const Field2D&);

}  // namespace kappaflow
