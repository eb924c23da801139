#include "draw/gl/field_textures.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "draw/gl/gl_api.h"
#include "draw/gl/shader_program.h"

namespace kappaflow {

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
        if (std::isnan(place) || (field.fadesOut && fadedAlpha(place) < 0.5 / 255)) continue;
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
    if (field.rows == 0 || field.cols == 0 || field.rows > limit || field.cols > limit) return {};
    if (field.values.size() / field.cols < field.rows) return {};
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
    for (auto entry = entries_.begin(); entry != entries_.end();) {
        if (++entry->second.age <= 2) {
            ++entry;
            continue;
        }
        glDeleteTextures(1, &entry->second.texture);
        entry = entries_.erase(entry);
    }
}

void FieldTextures::destroy() {
    for (const auto& [id, entry] : entries_) glDeleteTextures(1, &entry.texture);
    entries_.clear();
}

}  // namespace kappaflow
