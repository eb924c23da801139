#include "scene/state.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/errors.h"

namespace kappaflow {
namespace {

using Warnings = std::vector<std::string>;

/// Runs what may refuse a reader's input; a refusal becomes a warning.
template <typename Action>
void attempt(Warnings& warnings, Action&& action) {
    try {
        action();
    } catch (const InputError& error) {
        warnings.emplace_back(error.what());
    }
}

/// Defaults that depend on other values follow them while nobody has chosen otherwise, and what was chosen stays within its range.
void followOthers(const Declaration& declaration, const Values& before, const std::string& changed, Values& values) {
    for (const auto& param : declaration.params) {
        if (!param.beside || param.key == changed) continue;
        const bool chosen = before.at(param.key) != standardBeside(param, before);
        values.set(param.key, chosen ? admitValue(adapted(param, values), values.at(param.key)).value : standardBeside(param, values));
    }
}

void setParam(State& state, const std::string& key, const Value& value, Warnings& warnings) {
    const Declaration& declaration = requireDeclaration(state.scene);
    const Values before = state.params;
    Values given;
    given.set(key, value);
    attempt(warnings, [&] {
        const Param* param = declaration.param(key);
        if (!param || !param->beside) return state.params.set(key, completeValues(declaration, given, warnings).at(key));
        ParsedValue admitted = admitValue(adapted(*param, before), value);
        state.params.set(key, std::move(admitted.value));
        if (!admitted.warning.empty()) warnings.push_back(std::move(admitted.warning));
    });
    followOthers(declaration, before, key, state.params);
}

void setPreset(State& state, const std::string& name, Warnings& warnings) {
    const Declaration& declaration = requireDeclaration(state.scene);
    const auto preset =
        std::find_if(declaration.presets.begin(), declaration.presets.end(), [&](const Preset& p) { return p.name == name; });
    if (preset == declaration.presets.end()) {
        warnings.push_back(state.scene + " has no preset " + quote(name) + ".");
        return;
    }
    state.params = declaration.defaults();
    for (const auto& [key, text] : preset->values) setParam(state, key, text, warnings);
}

void setZoom(State& state, const std::string& plot, const std::array<double, 4>& range, Warnings& warnings) {
    const bool finite = std::all_of(range.begin(), range.end(), [](double end) { return std::isfinite(end); });
    const bool room = state.zooms.size() < kMaxZooms || state.zooms.count(plot);
    if (finite && range[0] != range[1] && range[2] != range[3] && room && !plot.empty() && plot.size() <= kMaxPlotId)
        state.zooms[plot] = range;
    else
        warnings.push_back("The zoom of " + quote(plot) + " is not a range and was ignored.");
}

}  // namespace

State initialState(std::string_view scene) {
    const Declaration* declaration = findDeclaration(scene);
    if (!declaration) declaration = &declarations().front();
    return {declaration->id, declaration->defaults(), {}};
}

State openingState(std::string_view scene) {
    State state = initialState(scene);
    Warnings none;
    setPreset(state, requireDeclaration(state.scene).opening, none);
    return state;
}

State apply(State state, const Change& change, Warnings& warnings) {
    switch (change.what) {
        case Change::What::Scene:
            attempt(warnings, [&] { state = openingState(requireDeclaration(change.key).id); });
            break;
        case Change::What::Param:
            setParam(state, change.key, change.value, warnings);
            break;
        case Change::What::Preset:
            setPreset(state, change.key, warnings);
            break;
        case Change::What::Zoom:
            setZoom(state, change.key, change.zoom, warnings);
            break;
        case Change::What::Unzoom:
            state.zooms.erase(change.key);
            break;
        case Change::What::Reset:
            state = openingState(state.scene);
            break;
    }
    return state;
}

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kZoomPrefix = "zoom.";
/// What is read of a link: far more than formatLink writes, far less than would hold the page up.
constexpr std::size_t kMaxReadLength = 16384;

bool staysPlain(unsigned char c) {
    // Unreserved in RFC 3986, and what a query and a fragment allow that mail programs do not cut a link at.
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-._~,/:").find(static_cast<char>(c)) != std::string_view::npos;
}

std::string encode(std::string_view text) {
    constexpr char kHex[] = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (staysPlain(byte))
            out += c;
        else
            (out += '%') += {kHex[byte >> 4], kHex[byte & 15]};
    }
    return out;
}

int hexDigit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// As browsers read a query: %XX is a byte, + a blank, and a % that no two hexadecimal digits follow stands for itself.
std::string decode(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const int high = i + 2 < text.size() ? hexDigit(text[i + 1]) : -1, low = i + 2 < text.size() ? hexDigit(text[i + 2]) : -1;
        if (text[i] == '%' && high >= 0 && low >= 0) {
            out += static_cast<char>(high * 16 + low);
            i += 2;
        } else {
            out += text[i] == '+' ? ' ' : text[i];
        }
    }
    return out;
}

Pairs splitPairs(std::string_view text) {
    Pairs pairs;
    while (!text.empty()) {
        const auto end = text.find('&');
        const std::string_view piece = text.substr(0, end);
        const auto equals = piece.find('=');
        if (!piece.empty())
            pairs.emplace_back(decode(piece.substr(0, equals)), equals == piece.npos ? "" : decode(piece.substr(equals + 1)));
        text = end == text.npos ? std::string_view{} : text.substr(end + 1);
    }
    return pairs;
}

struct LinkParts {
    Pairs query, fragment;
};

LinkParts splitLink(std::string_view link) {
    link = link.substr(0, kMaxReadLength);
    const auto hash = link.find('#');
    const std::string_view front = link.substr(0, hash);
    const auto question = front.find('?');
    LinkParts parts;
    if (hash != link.npos) parts.fragment = splitPairs(link.substr(hash + 1));
    if (question != front.npos)
        parts.query = splitPairs(front.substr(question + 1));
    else if (hash == link.npos && link.find("://") == link.npos)
        parts.fragment = splitPairs(link);
    return parts;
}

const std::string* find(const Pairs& pairs, std::string_view key) {
    const auto found = std::find_if(pairs.rbegin(), pairs.rend(), [&](const auto& pair) { return pair.first == key; });
    return found == pairs.rend() ? nullptr : &found->second;
}

std::vector<double> numbersOf(std::string_view text) {
    std::vector<double> numbers;
    for (;;) {
        const auto comma = text.find(',');
        numbers.push_back(parseNumber(text.substr(0, comma)));
        if (comma == text.npos || numbers.size() > 4) return numbers;
        text.remove_prefix(comma + 1);
    }
}

Change zoomChange(std::string plot, std::string_view text) {
    std::array<double, 4> range{};  // four zeros are no range: apply() will say so
    try {
        const auto numbers = numbersOf(text);
        if (numbers.size() == 4) std::copy(numbers.begin(), numbers.end(), range.begin());
    } catch (const InputError&) {
        range.fill(0);
    }
    return Change::zoomTo(std::move(plot), range);
}

bool isForTheHost(std::string_view key) {
    return key == "ui" || key == "theme" || key == "contrast" || key == "lang" || key == "hide" || key == "lock" || key == "focus" ||
           key == "speed";
}

/// What has a default that depends on others is read after them, wherever it stands.
Pairs inReadingOrder(Pairs pairs, const State& state) {
    const Declaration& declaration = requireDeclaration(state.scene);
    std::stable_partition(pairs.begin(), pairs.end(), [&](const auto& pair) {
        const Param* param = declaration.param(pair.first);
        return !param || !param->beside;
    });
    return pairs;
}

void warnOfRepeats(const Pairs& pairs, std::vector<std::string>& warnings) {
    std::map<std::string_view, int> times;
    for (const auto& pair : pairs)
        if (++times[pair.first] == 2) warnings.push_back("The link says " + quote(pair.first) + " more than once; the last value counts.");
}

State readPairs(State state, const Pairs& pairs, std::vector<std::string>& warnings) {
    warnOfRepeats(pairs, warnings);
    for (const auto& [key, text] : pairs) {
        if (key == "v") {
            if (text != "1") warnings.push_back("This link is of another version (v=" + quote(text) + "); what is known of it was read.");
        } else if (key.compare(0, kZoomPrefix.size(), kZoomPrefix) == 0) {
            state = apply(std::move(state), zoomChange(key.substr(kZoomPrefix.size()), text), warnings);
        } else if (key != "scene" && !isForTheHost(key)) {
            state = apply(std::move(state), Change::param(key, text), warnings);
        }
    }
    return state;
}

/// Mean of a profile over each of `count` equal stretches.
std::vector<double> resample(const std::vector<double>& profile, std::size_t count) {
    std::vector<double> means(count);
    const double step = static_cast<double>(profile.size()) / static_cast<double>(count);
    for (std::size_t i = 0; i < count; ++i) {
        const double from = step * static_cast<double>(i), to = from + step;
        for (auto k = static_cast<std::size_t>(from); k < profile.size() && static_cast<double>(k) < to; ++k) {
            const double k0 = static_cast<double>(k);
            means[i] += profile[k] * (std::min(to, k0 + 1) - std::max(from, k0)) / step;
        }
    }
    return means;
}

std::string shortProfile(const std::vector<double>& profile) {
    std::string text;
    for (double value : profile) text += (text.empty() ? "" : ",") + inWords(value, 3);
    return text;
}

/// Everything a link says beside version and scene, kept apart by what may be given up for length.
struct LinkText {
    struct Entry {
        std::string text;
        const std::vector<double>* profile = nullptr;
        bool zoom = false;
    };
    std::string head;
    std::vector<Entry> entries;

    std::string join() const {
        std::string link = head;
        for (const auto& entry : entries) link += entry.text;
        return link;
    }
    bool fits() const { return join().size() <= kMaxLinkLength; }
};

std::string pairText(std::string_view key, std::string_view text) { return "&" + encode(key) + "=" + encode(text); }

LinkText describe(const State& state, const Declaration& declaration) {
    LinkText link{"v=1&scene=" + encode(declaration.id), {}};
    for (const auto& param : declaration.params) {
        const Value& value = state.params.at(param.key);
        if (value == standardBeside(param, state.params)) continue;
        const auto* profile = param.kind == Kind::Profile ? std::get_if<std::vector<double>>(&value) : nullptr;
        link.entries.push_back({pairText(param.key, formatValue(param, value)), profile, false});
    }
    for (const auto& [plot, range] : state.zooms) {
        std::string text;
        for (double end : range) text += (text.empty() ? "" : ",") + formatNumber(end);
        link.entries.push_back({pairText(std::string(kZoomPrefix) + plot, text), nullptr, true});
    }
    return link;
}

void shortenProfiles(LinkText& link) {
    for (double share = 1; !link.fits() && share > 0.002; share *= 0.9)
        for (auto& entry : link.entries) {
            if (!entry.profile || entry.profile->empty()) continue;
            const auto count = std::max(1.0, std::floor(share * static_cast<double>(entry.profile->size())));
            const std::string key = entry.text.substr(0, entry.text.find('=') + 1);
            entry.text = key + shortProfile(share == 1 ? *entry.profile : resample(*entry.profile, static_cast<std::size_t>(count)));
        }
}

void dropZooms(LinkText& link) {
    if (link.fits()) return;
    link.entries.erase(std::remove_if(link.entries.begin(), link.entries.end(), [](const auto& entry) { return entry.zoom; }),
                       link.entries.end());
}

void dropLongest(LinkText& link) {
    const auto longer = [](const auto& a, const auto& b) { return a.text.size() < b.text.size(); };
    while (!link.entries.empty() && !link.fits()) link.entries.erase(std::max_element(link.entries.begin(), link.entries.end(), longer));
}

}  // namespace

Pairs linkPairs(std::string_view link) {
    LinkParts parts = splitLink(link);
    parts.query.insert(parts.query.end(), parts.fragment.begin(), parts.fragment.end());
    return std::move(parts.query);
}

std::string formatLink(const State& state) {
    const Declaration* declaration = findDeclaration(state.scene);
    if (!declaration) return "v=1";
    LinkText link = describe(state, *declaration);
    shortenProfiles(link);
    dropZooms(link);
    dropLongest(link);
    return link.join();
}

std::string_view authorPart(std::string_view link) { return link.substr(0, link.find('#')); }

State parseLink(std::string_view link, std::vector<std::string>& warnings, std::string_view scene) {
    if (link.size() > kMaxReadLength) warnings.push_back("The link is too long; only its beginning was read.");
    const LinkParts parts = splitLink(link);
    const std::string* inFragment = find(parts.fragment, "scene");
    const std::string* inQuery = find(parts.query, "scene");
    const std::string* named = inFragment ? inFragment : inQuery;
    const std::string id = named ? *named : scene.empty() ? declarations().front().id : std::string(scene);
    try {
        requireDeclaration(id);
    } catch (const InputError& error) {
        warnings.emplace_back(error.what());
    }
    State state = initialState(id);
    const auto silent = [&](const Pairs& pairs) {
        return std::none_of(pairs.begin(), pairs.end(),
                            [&](const auto& pair) { return pair.first == "v" || state.params.contains(pair.first); });
    };
    if (!named && scene.empty() && silent(parts.query) && silent(parts.fragment)) state = openingState(id);
    // The query speaks of another scene, or a whole state follows: its params do not count.
    const bool queryCounts = !find(parts.fragment, "v") && (!inFragment || !inQuery || *inFragment == *inQuery);
    if (queryCounts) state = readPairs(state, inReadingOrder(parts.query, state), warnings);
    return readPairs(state, inReadingOrder(parts.fragment, state), warnings);
}

}  // namespace kappaflow
