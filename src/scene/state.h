#pragma once
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scene/scene.h"

namespace kappaflow {

/// Everything a reader can see or share: a value, changed only through apply().
struct State {
    std::string scene;
    Values params;  ///< request and view params alike
    /// Plot id → visible range (x from, x to, y from, y to); absent: the whole.
    std::map<std::string, std::array<double, 4>> zooms;
    friend bool operator==(const State&, const State&) = default;
};

/// All defaults; an unknown scene gives the first one.
State initialState(std::string_view scene);
/// The state that a reader meets when opening a scene by its name in the list, or the program without a link.
State openingState(std::string_view scene);

/// What a state may hold of zooms, so that a link never grows without bound.
inline constexpr std::size_t kMaxZooms = 32, kMaxPlotId = 64;

/// One change: another scene, a param's value, a preset, or a plot's zoom.
struct Change {
    enum class What { Scene, Param, Preset, Zoom, Unzoom, Reset } what = What::Param;
    std::string key;  ///< scene id, param key, preset name or plot id
    Value value;
    std::array<double, 4> zoom{};
    static Change param(std::string key, Value value) { return {What::Param, std::move(key), std::move(value), {}}; }
    static Change scene(std::string id) { return {What::Scene, std::move(id), false, {}}; }
    static Change preset(std::string name) { return {What::Preset, std::move(name), false, {}}; }
    static Change zoomTo(std::string plot, std::array<double, 4> range) { return {What::Zoom, std::move(plot), false, range}; }
    static Change unzoom(std::string plot) { return {What::Unzoom, std::move(plot), false, {}}; }
    static Change reset() { return {What::Reset, "", false, {}}; }
};

/// The state after a change; inadmissible values are clamped or ignored with a sentence in `warnings`.
State apply(State, const Change&, std::vector<std::string>& warnings);

inline constexpr std::size_t kMaxLinkLength = 2000;

/// Link text: `v=1&scene=…&key=value…&zoom.PLOT=x,x,y,y`, only what differs from the defaults, percent-encoded where needed, at most
/// kMaxLinkLength characters: when longer, painted profiles are rounded to 3 digits and resampled, then zooms are left out, then
/// the longest values.
std::string formatLink(const State&);
/// Reads a link, its fragment, or its query (whatever stands behind ? or #). The fragment is read on top of the query, unless it
/// has a `v` of its own: then it is a whole state and of the query only the scene counts, when the fragment names none.
/// Unknown keys and bad values are ignored, each with a sentence in `warnings`. `scene` is meant when the link names none;
/// an unknown one gives the first. Any bytes will do: never throws.
State parseLink(std::string_view link, std::vector<std::string>& warnings, std::string_view scene = {});
/// What the author of a page fixed: the link without its fragment, or all of it where nothing but pairs stands there.
std::string_view authorPart(std::string_view link);
/// key=value pairs of a link, decoded, in order, query before fragment: for what is not state (ui, theme, hide, lock).
std::vector<std::pair<std::string, std::string>> linkPairs(std::string_view link);

}  // namespace kappaflow
