#pragma once
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/scene_runs.h"

namespace kappaflow {

/// A number as a sentence shows it.
struct ShownNumber {
    double value, tolerance;  ///< half of its last digit, no more than a twentieth of it
    bool percent;
    std::string text, place;
};

inline bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Exponent in raised digits from `at` on; how many bytes it takes goes to `bytes`.
inline int raisedAt(const std::string& text, std::size_t at, std::size_t& bytes) {
    static const char* const kRaised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    const std::size_t begin = at;
    int value = 0, sign = 1;
    if (text.compare(at, std::strlen("⁻"), "⁻") == 0) sign = -1, at += std::strlen("⁻");
    for (bool found = true; found;) {
        found = false;
        for (int d = 0; d < 10 && !found; ++d)
            if (text.compare(at, std::strlen(kRaised[d]), kRaised[d]) == 0)
                value = 10 * value + d, at += std::strlen(kRaised[d]), found = true;
    }
    bytes = at - begin;
    return sign * value;
}

/// Without what numbers name instead of count: theorems, equations, figures, weights W^(l), the bound 1 − κ, and the core's own sentence
/// about a draw that ended.
inline std::string withoutNames(std::string text) {
    for (const char* reason : {" (The ", " (Every "})
        if (const std::size_t at = text.find(reason); at != std::string::npos) text.erase(at, text.find(')', at) - at);
    if (const std::size_t at = text.find("1 − κ"); at != std::string::npos) text.erase(at, 1);
    for (const char* name : {"Theorem ", "Theorems ", "Eq ", "Eqs ", "Fig ", "Figs ", "App. ", "W^("})
        for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
            std::size_t end = at + std::strlen(name);
            const auto more = [&](const char* joint) {
                const std::size_t n = std::strlen(joint);
                return text.compare(end, n, joint) == 0 && isDigit(text[end + n]) ? n : 0;
            };
            while (end < text.size() && (isDigit(text[end]) || more("–") || more(" and ")))
                end += std::max<std::size_t>({1, more("–"), more(" and ")});
            text.erase(at, end - at);
        }
    return text;
}

inline std::vector<ShownNumber> numbersIn(const std::string& summary) {
    const std::string text = withoutNames(summary);
    std::vector<ShownNumber> all;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!isDigit(text[i]) ||
            (i > 0 && (std::isalpha(static_cast<unsigned char>(text[i - 1])) || text[i - 1] == '^' || text[i - 1] == '_')))
            continue;
        const std::size_t begin = i;
        const bool raised = begin >= 4 && text.compare(begin - 4, 4, "^−") == 0;
        while (i < text.size() && (isDigit(text[i]) || (text[i] == '.' && i + 1 < text.size() && isDigit(text[i + 1])))) ++i;
        std::string mantissa = text.substr(begin, i - begin);
        const std::size_t point = mantissa.find('.');
        int decimals = point == std::string::npos ? 0 : static_cast<int>(mantissa.size() - point - 1), exponent = 0;
        if (i + 1 < text.size() && text[i] == 'e' && (isDigit(text[i + 1]) || text[i + 1] == '-' || text[i + 1] == '+')) {
            char* end = nullptr;
            exponent = static_cast<int>(std::strtol(text.c_str() + i + 1, &end, 10));
            i = static_cast<std::size_t>(end - text.c_str());
        } else if (text.compare(i, std::strlen("·10"), "·10") == 0) {
            std::size_t bytes = 0;
            exponent = raisedAt(text, i + std::strlen("·10"), bytes);
            i += std::strlen("·10") + bytes;
        }
        const bool minus = begin > 0 && (text[begin - 1] == '-' || (begin >= 3 && text.compare(begin - 3, 3, "−") == 0));
        double last = std::pow(10, exponent - decimals), value = std::strtod(mantissa.c_str(), nullptr) * std::pow(10, exponent);
        // 7360 may be 7355 in three digits.
        for (double rest = value; decimals == 0 && exponent == 0 && rest >= 1000 && std::fmod(rest, 10) == 0; rest /= 10) last *= 10;
        const bool percent = text.compare(i, 2, " %") == 0;
        // The exponent 1/2 and L^−0.25 are names as well.
        if (raised || text.compare(begin, 3, "1/2") == 0 || (begin > 1 && text.compare(begin - 2, 3, "1/2") == 0)) continue;
        all.push_back({minus ? -value : value, std::min(0.501 * last, 0.05 * value) + 1e-12, percent, text.substr(begin, i - begin),
                       text.substr(begin > 40 ? begin - 40 : 0, 80)});
    }
    return all;
}

inline void addParams(const Report& report, std::vector<double>& into) {
    for (const auto& [key, value] : report.params) {
        if (const auto* number = std::get_if<double>(&value)) into.push_back(*number);
        if (const auto* list = std::get_if<std::vector<double>>(&value)) into.insert(into.end(), list->begin(), list->end());
    }
}

/// What a summary may quote of an array: its first, last, least or largest number, their sum, how many there are, all of them, or the last
/// value of its first axis; all values of its axes; its standard errors.
enum class Of { First, Last, Least, Largest, Sum, Count, All, AxisEnd, Axes, Errors };
struct Quote {
    const char* field;
    Of of;
};

inline void addQuote(const Report& report, const Quote& quote, std::vector<double>& into) {
    const Array* array = report.array(quote.field);
    if (!array) return;
    std::vector<double> known;
    for (const double v : array->values)
        if (std::isfinite(v)) known.push_back(v);
    if (quote.of == Of::Axes)
        for (const Axis& axis : array->axes) into.insert(into.end(), axis.values.begin(), axis.values.end());
    if (quote.of == Of::Errors) into.insert(into.end(), array->standardError.begin(), array->standardError.end());
    if (quote.of == Of::AxisEnd && !array->axes[0].values.empty()) into.push_back(array->axes[0].values.back());
    if (known.empty()) return;
    double sum = 0;
    for (const double v : known) sum += v;
    switch (quote.of) {
        case Of::First:
            into.push_back(known.front());
            break;
        case Of::Last:
            into.push_back(known.back());
            break;
        case Of::Least:
            into.push_back(*std::min_element(known.begin(), known.end()));
            break;
        case Of::Largest:
            into.push_back(*std::max_element(known.begin(), known.end()));
            break;
        case Of::Sum:
            into.push_back(sum);
            break;
        case Of::Count:
            into.push_back(static_cast<double>(known.size()));
            break;
        case Of::All:
            into.insert(into.end(), known.begin(), known.end());
            break;
        default:
            break;
    }
}

/// A phrase, and what must hold of the report wherever it stands in the summary.
struct Rule {
    const char* phrase;
    bool (*holds)(const Report&);
};

using Numbers = std::vector<double>;

/// How one scene's summaries are read.
struct SummaryRules {
    Settings base;                 ///< quick
    std::vector<Settings> more{};  ///< beside every option of every choice
    std::vector<Quote> quotes{};   ///< numbers beside scalars and params
    std::vector<Rule> rules{};
    void (*others)(const Report&, Numbers&) = nullptr;  ///< numbers that follow from fields
};

/// What a summary quotes and compares stands with the scene's tests: `const SummaryOf kSummary{"shattering", {…}};`. Without it a summary
/// may quote scalars and params, and compare nothing.
struct SummaryOf {
    SummaryOf(const char* scene, SummaryRules rules) { all().emplace(scene, std::move(rules)); }
    static SummaryRules of(const std::string& scene) {
        const auto found = all().find(scene);
        return found == all().end() ? SummaryRules{} : found->second;
    }

private:
    static std::map<std::string, SummaryRules>& all() {
        static std::map<std::string, SummaryRules> rules;
        return rules;
    }
};

inline double valueIn(const Report& r, const char* name) {
    const Scalar* scalar = r.scalar(name);
    return scalar ? scalar->value : std::nan("");
}

inline double firstIn(const Report& r, const char* name) {
    const Array* array = r.array(name);
    return array && !array->values.empty() ? array->values.front() : std::nan("");
}

inline double lastIn(const Report& r, const char* name) {
    const Array* array = r.array(name);
    return array && !array->values.empty() ? array->values.back() : std::nan("");
}

/// Of an array over values of the parameter that names its axis: where the parameter stands.
inline double atParam(const Report& r, const char* name) {
    const Array& array = *r.array(name);
    const auto& axis = array.axes[0];
    const auto found = std::find(axis.values.begin(), axis.values.end(), r.params.number(axis.name));
    return found == axis.values.end() ? std::nan("") : array.values[static_cast<std::size_t>(found - axis.values.begin())];
}

/// Words that compare; each stands within a phrase that has a rule.
inline constexpr const char* kComparing[] = {
    " falls",       " fall ",       " fall,",   " rises",   " rise ",          " grows",      " grow ",    " faster",   " slower",
    " below ",      " above ",      " longer",  " shorter", " larger",         " smaller",    "reduces",   "amplifies", " better",
    "well-behaved", "pathological", " optimum", "outside",  "nothing is left", "more pieces", " equal to "};

inline Numbers knownIn(const Report& report, const SummaryRules& scene) {
    Numbers known;
    addParams(report, known);
    for (const Scalar& s : report.scalars) {
        known.insert(known.end(), {s.value, s.draws});
        if (s.standardError) known.push_back(*s.standardError);
    }
    for (const Quote& quote : scene.quotes) addQuote(report, quote, known);
    if (scene.others) scene.others(report, known);
    return known;
}

/// Numbers of the summary that no field explains, and comparisons without a rule or against it.
inline std::vector<std::string> faultsOf(const Report& report, const SummaryRules& scene) {
    std::vector<std::string> faults;
    const Numbers known = knownIn(report, scene);
    for (const ShownNumber& shown : numbersIn(report.summary)) {
        const auto explains = [&](double v) {
            return std::abs(v - shown.value) <= shown.tolerance || (shown.percent && std::abs(100 * v - shown.value) <= shown.tolerance);
        };
        if (std::none_of(known.begin(), known.end(), explains))
            faults.push_back("no field has " + shown.text + " of \"" + shown.place + "\"");
    }
    std::set<std::size_t> covered;
    for (const Rule& rule : scene.rules)
        for (std::size_t at = report.summary.find(rule.phrase); at != std::string::npos; at = report.summary.find(rule.phrase, at + 1)) {
            for (std::size_t i = 0; i < std::strlen(rule.phrase); ++i) covered.insert(at + i);
            if (!rule.holds(report)) faults.push_back(std::string("\"") + rule.phrase + "\" does not hold");
        }
    for (const char* word : kComparing)
        for (std::size_t at = report.summary.find(word); at != std::string::npos; at = report.summary.find(word, at + 1))
            if (!covered.count(at + 1)) faults.push_back(std::string("no rule for \"") + word + "\"");
    return faults;
}

}  // namespace kappaflow
