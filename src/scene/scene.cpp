#include "scene/scene.h"

#include <algorithm>
#include <numeric>

#include "core/base/errors.h"

namespace kappaflow {
namespace {

constexpr std::size_t kMaxWord = 64;

/// Levenshtein's distance, a swap of neighbours counting as one change (optimal string alignment).
std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> beforeLast(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0u : 1u)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], beforeLast[j - 2] + 1);
        }
        beforeLast.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

/// "; did you mean layers?" or "; " and what exists, as much of it as can be read at a glance.
std::string suggestion(std::string_view word, const std::vector<std::string>& known, const std::string& otherwise) {
    const std::string near = nearestWord(word, known);
    if (!near.empty()) return "; did you mean " + near + "?";
    constexpr std::size_t kGlance = 250;
    std::string all;
    std::size_t named = 0;
    for (; named < known.size() && all.size() < kGlance; ++named) all += (named == 0 ? " " : ", ") + known[named];
    const std::size_t more = known.size() - named;
    return "; " + otherwise + all + (more > 0 ? " and " + std::to_string(more) + " more." : ".");
}

[[noreturn]] void refuseKey(const Declaration& declaration, const std::string& key) {
    std::vector<std::string> known;
    for (const auto& param : declaration.params) known.emplace_back(param.key);
    throw InputError(declaration.id + " has no param " + quote(key) + suggestion(key, known, "it takes"));
}

}  // namespace

const Param* Declaration::param(std::string_view key) const {
    const auto found = std::find_if(params.begin(), params.end(), [&](const Param& param) { return param.key == key; });
    return found == params.end() ? nullptr : &*found;
}

const TimelineRow& Declaration::timelineBeside(const Values& values) const {
    const Param* other = param(instead.param);
    return other && other->visible(values) ? instead : timeline;
}

const Param* Declaration::paramOf(Kind kind) const {
    const auto found = std::find_if(params.begin(), params.end(), [&](const Param& param) { return param.kind == kind; });
    return found == params.end() ? nullptr : &*found;
}

Values Declaration::defaults() const {
    Values values;
    for (const auto& param : params) values.set(param.key, param.standard);
    return values;
}

std::string nearestWord(std::string_view word, const std::vector<std::string>& known) {
    if (word.size() > kMaxWord) return "";
    std::string nearest;
    std::size_t best = std::max<std::size_t>(2, word.size() / 2);
    for (const auto& candidate : known) {
        if (candidate.size() > kMaxWord) continue;
        const std::size_t distance = editDistance(word, candidate);
        if (distance < best) best = distance, nearest = candidate;
    }
    return nearest;
}

const Declaration& requireDeclaration(std::string_view id) {
    if (const auto* declaration = findDeclaration(id)) return *declaration;
    std::vector<std::string> known;
    for (const auto& declaration : declarations()) known.push_back(declaration.id);
    throw InputError("There is no scene " + quote(id) + suggestion(id, known, "there are"));
}

Values completeValues(const Declaration& declaration, const Values& given, std::vector<std::string>& warnings) {
    for (const auto& [key, value] : given)
        if (!declaration.param(key)) refuseKey(declaration, key);
    Values values = declaration.defaults();
    for (const auto& param : declaration.params) {
        if (!given.contains(param.key)) continue;
        auto admitted = admitValue(param, given.at(param.key));
        values.set(param.key, std::move(admitted.value));
        if (!admitted.warning.empty()) warnings.push_back(std::move(admitted.warning));
    }
    for (const auto& param : declaration.params) {
        if (!param.beside) continue;
        if (!given.contains(param.key)) values.set(param.key, standardBeside(param, values));
        auto admitted = admitValue(adapted(param, values), values.at(param.key));
        values.set(param.key, std::move(admitted.value));
        if (!admitted.warning.empty()) warnings.push_back(std::move(admitted.warning));
    }
    return values;
}

Values namedParams(const Report& report) {
    Values values;
    const Declaration* declaration = findDeclaration(report.scene);
    for (const auto& [key, value] : report.params) {
        const Param* param = declaration ? declaration->param(key) : nullptr;
        values.set(key, param ? named(*param, value) : value);
    }
    return values;
}

std::vector<std::string> idleValues(const Declaration& declaration, const Values& given, const Values& all) {
    std::vector<std::string> sentences;
    for (const auto& param : declaration.params) {
        if (!given.contains(param.key) || param.visible(all) || all.at(param.key) == standardBeside(param, all)) continue;
        sentences.push_back(std::string(param.key) + " has no effect beside the other settings.");
    }
    for (const auto& param : declaration.params) {
        if (!given.contains(param.key) || !std::holds_alternative<double>(all.at(param.key))) continue;
        const Value name = named(param, all.at(param.key)), &asked = given.at(param.key);
        const auto *word = std::get_if<std::string>(&name), *text = std::get_if<std::string>(&asked);
        const std::string said = text ? *text : formatNumber(std::get<double>(asked));
        if (word && said != *word) sentences.push_back(std::string(param.key) + "=" + said + " means \"" + *word + "\".");
    }
    return sentences;
}

}  // namespace kappaflow
