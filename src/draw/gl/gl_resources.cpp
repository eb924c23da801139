#include "draw/gl/gl_resources.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "draw/gl/gl_api.h"
#include "draw/imgui_shapes.h"
#include "shaderText.h"

namespace kappaflow {
namespace {

std::string fileText(std::string_view name, std::string_view extension) {
    const auto bytes = shaderText(std::string(name) + std::string(extension));
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The driver's log without its line breaks, short enough for a sentence.
std::string oneLine(const char* log) {
    std::string line;
    for (const char* c = log; *c && line.size() < 200; ++c) line += *c == '\n' || *c == '\r' ? ' ' : *c;
    while (!line.empty() && line.back() == ' ') line.pop_back();
    return line.empty() ? "no reason given" : line;
}

unsigned compile(unsigned kind, std::string_view name, std::string_view extension, std::string& failure) {
#ifdef __EMSCRIPTEN__
    const std::string source = shaderSource(fileText(name, extension), true);
#else
    const std::string source = shaderSource(fileText(name, extension), false);
#endif
    const unsigned shader = glCreateShader(kind);
    const char* text = source.c_str();
    glShaderSource(shader, 1, &text, nullptr);
    glCompileShader(shader);
    GLint done = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
    if (done) return shader;
    std::array<char, 512> log{};
    glGetShaderInfoLog(shader, log.size(), nullptr, log.data());
    failure = "The shader " + std::string(name) + std::string(extension) + " does not compile: " + oneLine(log.data()) + ".";
    glDeleteShader(shader);
    return 0;
}

#ifndef __EMSCRIPTEN__
bool canLabel() {
    GLint count = 0;
    glGetIntegerv(GL_NUM_EXTENSIONS, &count);
    for (GLint i = 0; i < count; ++i) {
        const auto* name = reinterpret_cast<const char*>(glGetStringi(GL_EXTENSIONS, static_cast<GLuint>(i)));
        if (name && std::strcmp(name, "GL_KHR_debug") == 0) return true;
    }
    return false;
}
#endif

}  // namespace

std::string shaderSource(std::string_view glslEs, bool es) {
    if (es) return std::string(glslEs);
    std::string source = "#version 330 core\n";
    for (std::size_t at = 0; at < glslEs.size();) {
        const std::size_t end = std::min(glslEs.find('\n', at), glslEs.size() - 1) + 1;
        const std::string_view line = glslEs.substr(at, end - at);
        // Empty lines in their place: the driver's line numbers stay those of the file.
        if (line.substr(0, 9) != "#version ") source += line.substr(0, 10) == "precision " ? std::string_view("\n") : line;
        at = end;
    }
    return source;
}

unsigned makeProgram(std::string_view name, std::span<const char* const> attributes, std::string& failure) {
    const unsigned vertex = compile(GL_VERTEX_SHADER, name, ".vert", failure);
    const unsigned fragment = vertex ? compile(GL_FRAGMENT_SHADER, name, ".frag", failure) : 0;
    unsigned program = 0;
    if (fragment) {
        program = glCreateProgram();
        glAttachShader(program, vertex);
        glAttachShader(program, fragment);
        for (GLuint i = 0; i < attributes.size(); ++i) glBindAttribLocation(program, i, attributes[i]);
        glLinkProgram(program);
        GLint done = 0;
        glGetProgramiv(program, GL_LINK_STATUS, &done);
        if (!done) {
            std::array<char, 512> log{};
            glGetProgramInfoLog(program, log.size(), nullptr, log.data());
            failure = "The shader program " + std::string(name) + " does not link: " + oneLine(log.data()) + ".";
            glDeleteProgram(program);
            program = 0;
        }
    }
    if (vertex) glDeleteShader(vertex);
    if (fragment) glDeleteShader(fragment);
    if (program) labelObject(0x82E2 /* GL_PROGRAM, absent from GLES 3.0's header */, program, name);
    return program;
}

#ifdef __EMSCRIPTEN__
void labelObject(unsigned, unsigned, std::string_view) {}
#else
void labelObject(unsigned kind, unsigned object, std::string_view label) {
    static const bool can = canLabel();
    if (can) glObjectLabel(kind, object, static_cast<GLsizei>(label.size()), label.data());
}
#endif

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

MeshStore::Mesh& MeshStore::entry(char kind, std::string_view id, std::uint64_t version, std::uint64_t colors) {
    std::string key = kind + std::string(id);
    const auto taken = [&](const Mesh& mesh) {
        return mesh.array && mesh.age == 0 && !(version != 0 && mesh.version == version && mesh.colors == colors);
    };
    while (taken(meshes_[key])) key += '\'';
    Mesh& mesh = meshes_[key];
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
    const std::uint64_t colors = fingerprint(cells.colors) ^ (cells.shaded ? 2u : 0u);
    Mesh& mesh = entry('c', id, cells.version, colors);
    const bool isNew = cells.version == 0 || mesh.version != cells.version;
    if (isNew) uploadCells(mesh, cells);
    if (isNew || mesh.colors != colors) uploadColors(mesh, cells);
    mesh.version = cells.version, mesh.colors = colors;
    glBindVertexArray(0);
    return mesh;
}

const MeshStore::Mesh& MeshStore::segments(std::string_view id, const SegmentMesh& segments) {
    Mesh& mesh = entry('s', id, segments.version);
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
    for (auto& [id, mesh] : meshes_)
        if (++mesh.age > 2) remove(mesh);
    std::erase_if(meshes_, [](const auto& entry) { return entry.second.age > 2; });
}

void MeshStore::destroy() {
    for (const auto& [id, mesh] : meshes_) remove(mesh);
    forget();
}

std::uint64_t fingerprint(const Field2D& field) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    const auto take = [&](auto value) {
        std::uint64_t word = 0;
        std::memcpy(&word, &value, sizeof value);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 29;  // FNV alone leaves a double's high bits unmixed
    };
    take(static_cast<std::uint64_t>(field.rows)), take(static_cast<std::uint64_t>(field.cols));
    take(field.lo), take(field.hi), take(static_cast<std::uint64_t>(field.logarithmic) + 2 * static_cast<std::uint64_t>(field.fadesOut)),
        take(static_cast<std::uint64_t>(field.map));
    for (const double value : field.values) take(value);
    return hash;
}

Rect visiblePart(const Field2D& field) {
    std::size_t top = field.rows, bottom = 0, left = field.cols, right = 0;
    for (std::size_t i = 0; i < field.rows * field.cols; ++i) {
        const double place = mapPosition(field.map, field.values[i], field.lo, field.hi, field.logarithmic);
        if (std::isnan(place) || (field.fadesOut && fadedAlpha(place) == 0)) continue;
        const std::size_t row = i / field.cols, col = i % field.cols;
        top = std::min(top, row), bottom = std::max(bottom, row + 1);
        left = std::min(left, col), right = std::max(right, col + 1);
    }
    if (bottom == 0) return {};
    const auto width = static_cast<double>(field.cols), height = static_cast<double>(field.rows);
    return {{static_cast<double>(left) / width, static_cast<double>(top) / height},
            {static_cast<double>(right) / width, static_cast<double>(bottom) / height}};
}

FieldTextures::Texture FieldTextures::texture(std::string_view id, const Field2D& field) {
    if (largest_ == 0) glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest_);
    const auto limit = static_cast<std::size_t>(largest_);
    if (!field.sound() || field.rows > limit || field.cols > limit) return {};
    const std::uint64_t now = fingerprint(field);
    // What is drawn is drawn later: a second field of the same id in this frame must not overwrite the first.
    std::string key(id);
    auto found = entries_.find(key);
    for (; found != entries_.end() && found->second.age == 0 && found->second.fingerprint != now; found = entries_.find(key)) key += '\'';
    if (found == entries_.end()) {
        found = entries_.emplace(key, Entry{}).first;
        glGenTextures(1, &found->second.texture);
    }
    Entry& entry = found->second;
    entry.age = 0;
    if (entry.fingerprint != now) {
        entry.fingerprint = now;
        entry.visible = visiblePart(field);
        upload(entry, field);
        labelObject(GL_TEXTURE, entry.texture, found->first);
    }
    return {entry.texture, entry.visible};
}

void FieldTextures::upload(const Entry& entry, const Field2D& field) {
    std::vector<float> places(field.rows * field.cols);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const double place = mapPosition(field.map, field.values[i], field.lo, field.hi, field.logarithmic);
        places[i] = std::isnan(place) ? -1 : static_cast<float>(place);
    }
    glBindTexture(GL_TEXTURE_2D, entry.texture);
    for (const GLenum filter : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER}) glTexParameteri(GL_TEXTURE_2D, filter, GL_NEAREST);
    for (const GLenum wrap : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T}) glTexParameteri(GL_TEXTURE_2D, wrap, GL_CLAMP_TO_EDGE);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R32F, static_cast<GLsizei>(field.cols), static_cast<GLsizei>(field.rows), 0, GL_RED, GL_FLOAT,
                 places.data());
    glBindTexture(GL_TEXTURE_2D, 0);
    ++uploads_;
}

void FieldTextures::endFrame() {
    for (auto& [id, entry] : entries_)
        if (++entry.age > 2) glDeleteTextures(1, &entry.texture);
    std::erase_if(entries_, [](const auto& entry) { return entry.second.age > 2; });
}

void FieldTextures::destroy() {
    for (const auto& [id, entry] : entries_) glDeleteTextures(1, &entry.texture);
    entries_.clear();
}

}  // namespace kappaflow
