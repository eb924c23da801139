#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "draw/painter.h"

struct ImDrawList;

namespace kappaflow {

/// Every GL object of the pictures: programs, buffers, textures. One per GL context (OpenGL 3.3 core or WebGL2), which must be current
/// in every call. What is drawn is queued into an ImDrawList and done when ImGui's back end renders that list.
class GlContext {
public:
    GlContext();
    ~GlContext();  ///< deletes nothing on the GPU: the context may be gone; call destroy() while it is current

    /// Compiles and allocates. Returns "" or one sentence; then the pictures do without GL.
    std::string create();
    bool ready() const;
    /// The context was lost and its objects with it: drops their ids without touching GL. create() makes them anew.
    void forget();
    void destroy();

    /// Once a frame before anything is painted: the size ImGui draws at (io.DisplaySize) and device pixels per CSS pixel. Ends the
    /// life of what the frame before queued.
    void beginFrame(double cssWidth, double cssHeight, double pixelRatio);

    /// For ImGuiPainter. `id` keys the texture, uploaded only when the numbers changed; false: too large for a texture.
    bool field(ImDrawList&, std::string_view id, Rect dest, const Field2D&, bool dark);
    bool plane(ImDrawList&, std::string_view id, const PlaneCorners&, const Field2D&, double opacity, bool dark);
    void ribbons(ImDrawList&, std::span<const Ribbon>, Vec2 axis, bool dark);
    void points(ImDrawList&, std::span<const PointMark>);
    /// A sound mesh; `id` keys its buffers.
    void cells(ImDrawList&, std::string_view id, const CellMesh&);
    void segments(ImDrawList&, std::string_view id, const SegmentMesh&, double pixel);

    struct Counters {
        int textures = 0, uploads = 0, draws = 0;
    };
    Counters counters() const;

private:
    struct Objects;
    std::unique_ptr<Objects> objects_;
};

}  // namespace kappaflow
