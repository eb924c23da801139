#include "draw/gl/gl_context.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "draw/gl/gl_api.h"
#include "draw/gl/gl_resources.h"

namespace kappaflow {
namespace {

constexpr int kRibbonVertices = 2 * 33;  // shaders/ribbon.vert: 32 segments
constexpr int kMapSteps = 256;

struct Program {
    unsigned id = 0;
    int uniform(const char* name) const { return glGetUniformLocation(id, name); }
    /// A uniform of as many floats as are given; the program is in use.
    template <class... Numbers>
    void set(const char* name, Numbers... numbers) const {
        const float values[] = {static_cast<float>(numbers)...};
        const auto upload = std::array{glUniform1fv, glUniform2fv, glUniform3fv, glUniform4fv}[sizeof...(numbers) - 1];
        upload(uniform(name), 1, values);
    }
};

/// Instances of one kind: a vertex array whose attributes advance once per instance.
struct Instances {
    unsigned array = 0, buffer = 0;
    void create(std::span<const int> floatsPerAttribute, std::string_view label) {
        glGenVertexArrays(1, &array);
        glGenBuffers(1, &buffer);
        glBindVertexArray(array);
        glBindBuffer(GL_ARRAY_BUFFER, buffer);
        int stride = 0;
        for (const int floats : floatsPerAttribute) stride += floats;
        std::size_t offset = 0;
        for (GLuint i = 0; i < floatsPerAttribute.size(); ++i) {
            glEnableVertexAttribArray(i);
            glVertexAttribPointer(i, floatsPerAttribute[i], GL_FLOAT, GL_FALSE, stride * static_cast<int>(sizeof(float)),
                                  reinterpret_cast<const void*>(offset));
            glVertexAttribDivisor(i, 1);
            offset += static_cast<std::size_t>(floatsPerAttribute[i]) * sizeof(float);
        }
        glBindVertexArray(0);
        labelObject(0x82E0 /* GL_BUFFER */, buffer, label);
        labelObject(0x8074 /* GL_VERTEX_ARRAY */, array, label);
    }
    void draw(const std::vector<float>& data, int vertices, std::size_t count) const {
        glBindVertexArray(array);
        glBindBuffer(GL_ARRAY_BUFFER, buffer);
        glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(data.size() * sizeof(float)), data.data(), GL_STREAM_DRAW);
        glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, vertices, static_cast<GLsizei>(count));
        glBindVertexArray(0);
    }
    void destroy() const {
        glDeleteVertexArrays(1, &array);
        glDeleteBuffers(1, &buffer);
    }
};

unsigned makeMapTexture(ColorMap map, bool dark) {
    std::array<unsigned char, kMapSteps * 4> texels;
    for (int i = 0; i < kMapSteps; ++i) {
        const Color c = sample(map, static_cast<double>(i) / (kMapSteps - 1), dark);
        const float channels[] = {c.r, c.g, c.b, c.a};
        for (int k = 0; k < 4; ++k) texels[4 * i + k] = static_cast<unsigned char>(std::lround(255 * channels[k]));
    }
    unsigned texture = 0;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    for (const GLenum filter : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER}) glTexParameteri(GL_TEXTURE_2D, filter, GL_LINEAR);
    for (const GLenum wrap : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T}) glTexParameteri(GL_TEXTURE_2D, wrap, GL_CLAMP_TO_EDGE);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, kMapSteps, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
    glBindTexture(GL_TEXTURE_2D, 0);
    labelObject(GL_TEXTURE, texture, dark ? "colour map, dark" : "colour map, light");
    return texture;
}

}  // namespace

struct GlContext::Objects {
    std::array<Program, 6> programs;
    Program &fieldProgram = programs[0], &planeProgram = programs[1], &ribbonProgram = programs[2], &pointProgram = programs[3],
            &cellsProgram = programs[4], &segmentProgram = programs[5];
    Instances ribbonInstances, pointInstances;
    unsigned emptyArray = 0;  ///< core profiles draw nothing without a vertex array
    std::map<std::pair<ColorMap, bool>, unsigned> maps;
    FieldTextures fields;
    MeshStore meshes;
    bool ready = false;
    double width = 1, height = 1, ratio = 1;
    int draws = 0;

    /// What ImGui's back end is to call back for, alive until the next frame.
    struct Queued {
        Objects* objects;
        std::function<void()> draw;
    };
    std::deque<Queued> queue;

    static void run(const ImDrawList*, const ImDrawCmd* command) {
        auto& queued = *static_cast<Queued*>(command->UserCallbackData);
        if (!queued.objects->ready || !queued.objects->clipTo(command->ClipRect)) return;
        queued.draw();
        ++queued.objects->draws;
    }
    void defer(ImDrawList& list, std::function<void()> draw) {
        queue.push_back({this, std::move(draw)});
        list.AddCallback(run, &queue.back());
        list.AddCallback(ImDrawCallback_ResetRenderState, nullptr);
    }
    /// Scissor in device pixels, origin at the bottom; rounded as ImGui's back end does. False: nothing is visible.
    bool clipTo(const ImVec4& clip) const {
        const int frameHeight = static_cast<int>(height * ratio);
        const int left = static_cast<int>(clip.x * ratio), right = static_cast<int>(clip.z * ratio);
        const int top = static_cast<int>(clip.y * ratio), bottom = static_cast<int>(clip.w * ratio);
        if (right <= left || bottom <= top) return false;
        glEnable(GL_SCISSOR_TEST);
        glScissor(left, frameHeight - bottom, right - left, bottom - top);
        return true;
    }
    void place(const Program& program, const PlanePlace& place) const {
        use(program);
        const double columns[] = {
            place.scale.x, place.skew.y, place.lean.x, place.skew.x, place.scale.y, place.lean.y, place.origin.x, place.origin.y, 1};
        float values[9];
        std::transform(std::begin(columns), std::end(columns), values, [](double value) { return static_cast<float>(value); });
        glUniformMatrix3fv(program.uniform("u_place"), 1, GL_FALSE, values);
    }
    void use(const Program& program) const {
        glUseProgram(program.id);
        program.set("u_displaySize", width, height);
        program.set("u_pixel", 1 / ratio);
    }
    unsigned mapTexture(ColorMap map, bool dark) {
        unsigned& texture = maps[{map, dark}];
        if (!texture) texture = makeMapTexture(map, dark);
        return texture;
    }
    /// `program` is in use: fills its four corners with a field.
    void drawCells(const Program& program, unsigned places, unsigned colors, bool fades) const {
        glUniform1i(program.uniform("t_places"), 0);
        glUniform1i(program.uniform("t_colors"), 1);
        glUniform1i(program.uniform("u_fades"), fades);
        glActiveTexture(GL_TEXTURE1);
        glBindTexture(GL_TEXTURE_2D, colors);
        glActiveTexture(GL_TEXTURE0);
        glBindTexture(GL_TEXTURE_2D, places);
        glBindVertexArray(emptyArray);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
        glBindVertexArray(0);
    }
    void drawField(unsigned places, unsigned colors, const Rect& dest, bool fades) const {
        use(fieldProgram);
        fieldProgram.set("u_rect", dest.lo.x, dest.lo.y, dest.hi.x, dest.hi.y);
        drawCells(fieldProgram, places, colors, fades);
    }
    struct Plane {
        unsigned places, colors;
        PlaneCorners corners;
        Rect part;  ///< of the field, between these corners
        bool fades;
        double opacity;
    };
    void drawPlane(const Plane& plane) const {
        use(planeProgram);
        float corners[12];
        for (std::size_t i = 0; i < 4; ++i) {
            corners[3 * i] = static_cast<float>(plane.corners[i].at.x);
            corners[3 * i + 1] = static_cast<float>(plane.corners[i].at.y);
            corners[3 * i + 2] = static_cast<float>(plane.corners[i].w);
        }
        glUniform3fv(planeProgram.uniform("u_corners"), 4, corners);
        planeProgram.set("u_part", plane.part.lo.x, plane.part.lo.y, plane.part.hi.x, plane.part.hi.y);
        planeProgram.set("u_opacity", plane.opacity);
        drawCells(planeProgram, plane.places, plane.colors, plane.fades);
    }
};

GlContext::GlContext() : objects_(std::make_unique<Objects>()) {}
GlContext::~GlContext() = default;

std::string GlContext::create() {
    forget();
    Objects& o = *objects_;
    std::string failure;
    const std::pair<const char*, std::vector<const char*>> shaders[] = {{"field", {}},
                                                                        {"plane", {}},
                                                                        {"ribbon", {"a_ends", "a_shape", "a_color"}},
                                                                        {"point", {"a_disc", "a_color"}},
                                                                        {"cells", {"a_point", "a_color"}},
                                                                        {"segment", {"a_ends"}}};
    for (std::size_t i = 0; i < o.programs.size(); ++i) {
        o.programs[i].id = makeProgram(shaders[i].first, shaders[i].second, failure);
        if (!failure.empty()) return failure;
    }
    glGenVertexArrays(1, &o.emptyArray);
    static constexpr int kRibbonFloats[] = {4, 3, 4}, kPointFloats[] = {3, 4};
    o.ribbonInstances.create(kRibbonFloats, "ribbons");
    o.pointInstances.create(kPointFloats, "points");
    o.ready = true;
    return {};
}

bool GlContext::ready() const { return objects_->ready; }

void GlContext::forget() {
    // Kept whole until the next frame: a draw list may still hold what was queued.
    Objects& o = *objects_;
    o.fields.forget();
    o.maps.clear();
    o.meshes.forget();
    o.programs = {};
    o.ribbonInstances = o.pointInstances = {};
    o.emptyArray = 0;
    o.ready = false;
}

void GlContext::destroy() {
    Objects& o = *objects_;
    if (!o.ready) return;
    o.fields.destroy();
    for (const auto& [key, texture] : o.maps) glDeleteTextures(1, &texture);
    o.meshes.destroy();
    for (const Program& program : o.programs) glDeleteProgram(program.id);
    o.ribbonInstances.destroy();
    o.pointInstances.destroy();
    glDeleteVertexArrays(1, &o.emptyArray);
    forget();
}

void GlContext::beginFrame(double cssWidth, double cssHeight, double pixelRatio) {
    Objects& o = *objects_;
    o.width = cssWidth, o.height = cssHeight, o.ratio = pixelRatio;
    o.queue.clear();
    if (!o.ready) return;
    o.fields.endFrame();
    o.meshes.endFrame();
}

bool GlContext::field(ImDrawList& list, std::string_view id, Rect dest, const Field2D& field, bool dark) {
    Objects& o = *objects_;
    const unsigned places = o.fields.texture(id, field).id, colors = o.mapTexture(field.map, dark);
    if (!places) return false;
    o.defer(list, [&o, places, colors, dest, fades = field.fadesOut] { o.drawField(places, colors, dest, fades); });
    return true;
}

bool GlContext::plane(ImDrawList& list, std::string_view id, const PlaneCorners& corners, const Field2D& field, double opacity, bool dark) {
    Objects& o = *objects_;
    const auto [places, visible] = o.fields.texture(id, field);
    if (!places) return false;
    if (visible.width() <= 0) return true;
    // A see-through stack overdraws every pixel many times: what cannot be seen is not drawn.
    const PlaneCorners seen{pointOn(corners, visible.lo.x, visible.lo.y), pointOn(corners, visible.hi.x, visible.lo.y),
                            pointOn(corners, visible.hi.x, visible.hi.y), pointOn(corners, visible.lo.x, visible.hi.y)};
    o.defer(list, [&o, plane = Objects::Plane{places, o.mapTexture(field.map, dark), seen, visible, field.fadesOut, opacity}] {
        o.drawPlane(plane);
    });
    return true;
}

void GlContext::ribbons(ImDrawList& list, std::span<const Ribbon> ribbons, Vec2 axis, bool dark) {
    std::vector<float> data;
    data.reserve(ribbons.size() * 11);
    for (const Ribbon& r : ribbons)
        for (const double v : {r.from.x, r.from.y, r.to.x, r.to.y, r.widthFrom, r.widthTo, r.phase, double(r.color.r), double(r.color.g),
                               double(r.color.b), double(r.color.a)})
            data.push_back(static_cast<float>(v));
    Objects& o = *objects_;
    o.defer(list, [&o, data = std::move(data), axis, dark, count = ribbons.size()] {
        o.use(o.ribbonProgram);
        o.ribbonProgram.set("u_axis", axis.x, axis.y);
        // A pulse has to stand out from the ground: light in the dark, ink on paper.
        const Color pulse = dark ? hex(0xffffff) : hex(0x0b1f3d);
        o.ribbonProgram.set("u_pulseColor", pulse.r, pulse.g, pulse.b);
        o.ribbonInstances.draw(data, kRibbonVertices, count);
    });
}

void GlContext::points(ImDrawList& list, std::span<const PointMark> points) {
    std::vector<float> data;
    data.reserve(points.size() * 7);
    for (const PointMark& p : points)
        for (const double v : {p.at.x, p.at.y, p.radius, double(p.color.r), double(p.color.g), double(p.color.b), double(p.color.a)})
            data.push_back(static_cast<float>(v));
    Objects& o = *objects_;
    o.defer(list, [&o, data = std::move(data), count = points.size()] {
        o.use(o.pointProgram);
        o.pointInstances.draw(data, 4, count);
    });
}

void GlContext::cells(ImDrawList& list, std::string_view id, const CellMesh& mesh) {
    Objects& o = *objects_;
    const MeshStore::Mesh& kept = o.meshes.cells(id, mesh);
    o.defer(list, [&o, array = kept.array, count = kept.count, place = mesh.place] {
        o.place(o.cellsProgram, place);
        glBindVertexArray(array);
        glDrawElements(GL_TRIANGLES, count, GL_UNSIGNED_INT, nullptr);
        glBindVertexArray(0);
    });
}

void GlContext::segments(ImDrawList& list, std::string_view id, const SegmentMesh& mesh, double pixel) {
    Objects& o = *objects_;
    const MeshStore::Mesh& kept = o.meshes.segments(id, mesh);
    // Thinner than a device pixel: a pixel wide and paler.
    const double half = 0.5 * std::max(mesh.width, pixel), alpha = mesh.color.a * std::min(1.0, mesh.width / pixel);
    o.defer(list, [&o, array = kept.array, count = kept.count, half, alpha, mesh] {
        const Program& program = o.segmentProgram;
        o.place(program, mesh.place);
        program.set("u_shape", half, mesh.grown);
        program.set("u_color", mesh.color.r, mesh.color.g, mesh.color.b, alpha);
        glBindVertexArray(array);
        glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, count);
        glBindVertexArray(0);
    });
}

GlContext::Counters GlContext::counters() const { return {objects_->fields.count(), objects_->fields.uploads(), objects_->draws}; }

}  // namespace kappaflow
