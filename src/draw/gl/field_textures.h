#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "draw/painter.h"

namespace kappaflow {

/// The part of a field, in shares of its width and height, outside of which no cell can be seen: it has no number, or fades out below half
/// a step of an 8-bit alpha.
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
