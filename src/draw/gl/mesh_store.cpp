#include "draw/gl/mesh_store.h"

#include <algorithm>
#include <vector>

#include "draw/gl/gl_api.h"
#include "draw/imgui_shapes.h"

namespace kappaflow {
namespace {

template <class T>
void fill(GLenum target, unsigned buffer, const std::vector<T>& data) {
    glBindBuffer(target, buffer);
    glBufferData(target, static_cast<GLsizeiptr>(data.size() * sizeof(T)), data.data(), GL_DYNAMIC_DRAW);
}

std::uint64_t fingerprint(std::span<const Color> colors) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const Color& c : colors) hash = (hash ^ packed(c)) * 0x100000001b3u;
    return hash | 1;
}

void remove(const MeshStore::Mesh& mesh) {
    glDeleteVertexArrays(1, &mesh.array);
    glDeleteBuffers(3, mesh.buffers);
}

}  // namespace

MeshStore::Mesh& MeshStore::entry(char kind, std::string_view id) {
    Mesh& mesh = meshes_[kind + std::string(id)];
    if (!mesh.array) {
        glGenVertexArrays(1, &mesh.array);
        glGenBuffers(3, mesh.buffers);
    }
    mesh.age = 0;
    glBindVertexArray(mesh.array);
    return mesh;
}

void MeshStore::uploadCells(Mesh& mesh, const CellMesh& cells) {
    std::vector<float> points;
    std::vector<std::uint32_t> triangles;
    points.reserve(2 * cells.corners.size());
    triangles.reserve(3 * cells.corners.size());
    for (const std::uint32_t corner : cells.corners) {
        points.push_back(static_cast<float>(cells.points[corner].x));
        points.push_back(static_cast<float>(cells.points[corner].y));
    }
    for (std::size_t cell = 0; cell < cells.ends.size(); ++cell) {
        const auto begin = static_cast<std::uint32_t>(cells.begin(cell));
        for (std::uint32_t i = begin + 2; i < cells.ends[cell]; ++i) {
            triangles.push_back(begin);
            triangles.push_back(i - 1);
            triangles.push_back(i);
        }
    }
    fill(GL_ARRAY_BUFFER, mesh.buffers[0], points);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, nullptr);
    fill(GL_ELEMENT_ARRAY_BUFFER, mesh.buffers[1], triangles);
    mesh.count = static_cast<int>(triangles.size());
    ++uploads_;
}

void MeshStore::uploadColors(Mesh& mesh, const CellMesh& cells) {
    std::vector<std::uint32_t> colors(cells.corners.size());
    for (std::size_t cell = 0; cell < cells.ends.size(); ++cell) {
        const std::uint32_t one = cells.shaded ? 0 : packed(cells.colors[cell]);
        for (std::size_t i = cells.begin(cell); i < cells.ends[cell]; ++i)
            colors[i] = cells.shaded ? packed(cells.colors[cells.corners[i]]) : one;
    }
    fill(GL_ARRAY_BUFFER, mesh.buffers[2], colors);
    glEnableVertexAttribArray(1);
    glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, 0, nullptr);
    ++uploads_;
}

const MeshStore::Mesh& MeshStore::cells(std::string_view id, const CellMesh& cells) {
    Mesh& mesh = entry('c', id);
    const bool isNew = cells.version == 0 || mesh.version != cells.version;
    const std::uint64_t colors = fingerprint(cells.colors) ^ (cells.shaded ? 2u : 0u);
    if (isNew) uploadCells(mesh, cells);
    if (isNew || mesh.colors != colors) uploadColors(mesh, cells);
    mesh.version = cells.version, mesh.colors = colors;
    glBindVertexArray(0);
    return mesh;
}

const MeshStore::Mesh& MeshStore::segments(std::string_view id, const SegmentMesh& segments) {
    Mesh& mesh = entry('s', id);
    if (segments.version == 0 || mesh.version != segments.version) {
        std::vector<float> ends;
        ends.reserve(2 * segments.ends.size());
        for (const Vec2& p : segments.ends) {
            ends.push_back(static_cast<float>(p.x));
            ends.push_back(static_cast<float>(p.y));
        }
        fill(GL_ARRAY_BUFFER, mesh.buffers[0], ends);
        glEnableVertexAttribArray(0);
        glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, nullptr);
        glVertexAttribDivisor(0, 1);
        mesh.count = static_cast<int>(segments.ends.size() / 2);
        mesh.version = segments.version;
        ++uploads_;
    }
    glBindVertexArray(0);
    return mesh;
}

void MeshStore::endFrame() {
    for (auto at = meshes_.begin(); at != meshes_.end();) {
        if (++at->second.age <= 2) {
            ++at;
            continue;
        }
        remove(at->second);
        at = meshes_.erase(at);
    }
}

void MeshStore::destroy() {
    for (const auto& [id, mesh] : meshes_) remove(mesh);
    forget();
}

}  // namespace kappaflow
