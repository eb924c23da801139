#pragma once
#include <array>
#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "scene/scene.h"

namespace kappaflow {

// A scene is one table: each param is bound to a member of the scene's struct Params, each field of its report to a member of its
// struct Result. Both structs are plain; the table is constant data without code, so that the page can hold every scene's.

/// A Monte Carlo mean. Its error is not known where it is NaN, or 0 without draws.
struct Estimate {
    double value = 0, standardError = 0, draws = 0;
};

/// Values with the standard error of each.
struct Estimates {
    std::vector<double> values, standardErrors;
};

/// Warnings, notes and the network of a result; every Result derives from it.
struct Findings {
    std::vector<std::string> warnings;
    std::vector<Note> notes;                  ///< why a part of the result is missing
    std::string doubt;                        ///< why a finished result is not to be relied on: its report stays partial, with this message
    std::vector<ReportLayer> printedWeights;  ///< of scenes that print any
    std::shared_ptr<const Network> network;   ///< what the result is about, of scenes that save networks
};

namespace table::inner {

template <class Member>
struct MemberOf;
template <class Class_, class Type_>
struct MemberOf<Type_ Class_::*> {
    using Class = Class_;
    using Type = Type_;
};
template <class Function>
struct ArgumentOf;
template <class Result, class Argument>
struct ArgumentOf<Result (*)(Argument)> {
    using Type = std::remove_reference_t<Argument>;
};

template <auto member, auto... parts>
struct Innermost : Innermost<parts...> {};
template <auto member>
struct Innermost<member> : MemberOf<decltype(member)> {};

/// Of a member, or of a part of it: `access<&Result::alongLags, &Side::bound>`. Members of a base only where it is the first one.
template <auto member, auto... parts>
void* access(void* object) {
    auto* const held = &(static_cast<typename MemberOf<decltype(member)>::Class*>(object)->*member);
    if constexpr (sizeof...(parts) > 0)
        return access<parts...>(held);
    else
        return held;
}

template <auto function>
using Subject = std::remove_const_t<typename ArgumentOf<decltype(+function)>::Type>;
template <auto member, class Type>
constexpr bool binds = std::same_as<typename MemberOf<decltype(member)>::Type, Type>;

}  // namespace table::inner

namespace table {

struct Range {
    double min = 0, max = 1;
};

namespace inner {

template <auto member>
constexpr ParamRow bound(Kind kind, ParamRow row, Range range = {}) {
    using Type = typename MemberOf<decltype(member)>::Type;
    row.kind = kind;
    row.min = range.min, row.max = range.max;
    row.at = access<member>;
    if constexpr (std::is_enum_v<Type>) {
        static_assert(sizeof(Type) == sizeof(int));
        row.held = Held::Enum;
    } else if constexpr (std::same_as<Type, double>) {
        row.held = Held::Double;
    } else if constexpr (std::same_as<Type, int>) {
        row.held = Held::Int;
    } else if constexpr (std::same_as<Type, std::uint64_t>) {
        row.held = Held::Seed;
    } else if constexpr (std::same_as<Type, bool>) {
        row.held = Held::Bool;
    } else if constexpr (std::same_as<Type, std::string>) {
        row.held = Held::Text;
    } else if constexpr (std::same_as<Type, std::vector<double>>) {
        row.held = Held::Doubles;
    } else {
        static_assert(std::same_as<Type, std::vector<int>>, "a param is a number, a flag, an enum, a text or a list");
        row.held = Held::Ints;
    }
    return row;
}

template <auto... members>
constexpr FieldRow found(FieldRow row, Role role) {
    using Type = typename Innermost<members...>::Type;
    row.role = role;
    row.at = access<members...>;
    if constexpr (std::same_as<Type, double>) {
        row.found = Found::Number;
    } else if constexpr (std::same_as<Type, std::optional<double>>) {
        row.found = Found::Optional;
    } else if constexpr (std::same_as<Type, Estimate>) {
        row.found = Found::Estimate;
    } else if constexpr (std::same_as<Type, std::optional<Estimate>>) {
        row.found = Found::OptionalEstimate;
    } else if constexpr (std::same_as<Type, std::vector<double>>) {
        row.found = Found::Array;
    } else if constexpr (std::same_as<Type, std::optional<std::vector<double>>>) {
        row.found = Found::OptionalArray;
    } else {
        static_assert(std::same_as<Type, Estimates>, "a field is a number or an array, with its error or without");
        row.found = Found::Estimates;
    }
    return row;
}

}  // namespace inner

// Makers of rows: which member, then key, symbol, label, what it takes, help and what it serves. What is rarer follows behind bars:
// `whole<&Params::layers>("layers", "L", "layers", {1, 1000}, "How many …", "P1 Eq 36") | logarithmic | costly`.

template <auto member>
constexpr ParamRow number(const char* key, const char* symbol, const char* label, Range range, const char* help, const char* serves) {
    static_assert(inner::binds<member, double>, "number<> is the row of a double: write whole<> for an int, flag<> for a bool");
    return inner::bound<member>(Kind::Number, {.key = key, .symbol = symbol, .label = label, .help = help, .serves = serves}, range);
}
template <auto member>
constexpr ParamRow whole(const char* key, const char* symbol, const char* label, Range range, const char* help, const char* serves) {
    static_assert(inner::binds<member, int>, "whole<> is the row of an int: write number<> for a double, seed<> for a seed");
    return inner::bound<member>(Kind::Integer, {.key = key, .symbol = symbol, .label = label, .help = help, .serves = serves}, range);
}
template <auto member>
constexpr ParamRow flag(const char* key, const char* symbol, const char* label, const char* help, const char* serves) {
    return inner::bound<member>(Kind::Boolean, {.key = key, .symbol = symbol, .label = label, .help = help, .serves = serves});
}
/// An enum whose enumerators stand in the order of the options, from 0.
template <auto member>
constexpr ParamRow choice(const char* key, const char* label, std::span<const OptionRow> options, const char* help, const char* serves) {
    return inner::bound<member>(Kind::Choice, {.key = key, .label = label, .options = options, .help = help, .serves = serves});
}
/// Numbers by commas, at most `longest` of them.
template <auto member>
constexpr ParamRow list(const char* key, const char* symbol, const char* label, Range range, int longest, const char* help,
                        const char* serves) {
    return inner::bound<member>(
        Kind::List, {.key = key, .symbol = symbol, .label = label, .maxLength = longest, .help = help, .serves = serves}, range);
}
/// As a list, but painted (Kind::Profile), or widths by dashes (Kind::Architecture).
constexpr ParamRow painted(ParamRow row) { return row.kind = Kind::Profile, row; }
constexpr ParamRow widths(ParamRow row) { return row.kind = Kind::Architecture, row; }
template <auto member>
constexpr ParamRow network(const char* label, std::span<const OptionRow> samples, const char* help, const char* serves) {
    return inner::bound<member>(Kind::Network, {.key = "network", .label = label, .options = samples, .help = help, .serves = serves});
}
template <auto member>
constexpr ParamRow data(const char* symbol, const char* label, std::span<const OptionRow> sets, DataFiles files, const char* help,
                        const char* serves) {
    return inner::bound<member>(
        Kind::Data, {.key = "data", .symbol = symbol, .label = label, .options = sets, .files = files, .help = help, .serves = serves});
}
/// The seed, under "more", with the key "seed".
template <auto member>
constexpr ParamRow seed(const char* help, const char* serves) {
    return inner::bound<member>(Kind::Seed, {.key = "seed", .label = "seed", .group = Group::More, .help = help, .serves = serves},
                                {0, 4294967295.0});
}

constexpr ParamRow operator|(ParamRow row, ParamRow (*also)(ParamRow)) { return also(row); }
constexpr ParamRow logarithmic(ParamRow row) { return row.logarithmic = true, row; }
constexpr ParamRow odd(ParamRow row) { return row.odd = true, row; }
constexpr ParamRow costly(ParamRow row) { return row.costly = true, row; }
constexpr ParamRow more(ParamRow row) { return row.group = Group::More, row; }
constexpr ParamRow hidden(ParamRow row) { return row.group = Group::Hidden, row; }
constexpr ParamRow ofView(ParamRow row) { return row.affects = Affects::View, row; }
/// Names of values of a number, inside its range or not.
template <const auto& names>
constexpr ParamRow named(ParamRow row) {
    return row.options = names, row;
}
/// Shown and used only where the rule, of Params, holds.
template <auto rule>
constexpr ParamRow when(ParamRow row) {
    return row.shown = [](const void* params) { return static_cast<bool>(rule(*static_cast<const inner::Subject<rule>*>(params))); }, row;
}
/// A rule that derives the param's default and largest value from the other params.
template <auto rule>
constexpr ParamRow dependsOn(ParamRow row) {
    return row.beside = [](const void* params) -> Beside { return rule(*static_cast<const inner::Subject<rule>*>(params)); }, row;
}

/// Where the timeline stands, and whether it plays; no controls of their own.
template <auto member>
constexpr ParamRow shownAt(const char* symbol, const char* label, double max, const char* help, const char* serves) {
    return number<member>("at", symbol, label, {0, max}, help, serves) | hidden | ofView;
}
template <auto member>
constexpr ParamRow plays(const char* help, const char* serves) {
    return flag<member>("play", "", "play", help, serves) | hidden | ofView;
}

template <auto member>
constexpr AxisRow axis(const char* name) {
    using Type = typename inner::MemberOf<decltype(member)>::Type;
    static_assert(std::same_as<Type, std::vector<double>> || std::same_as<Type, std::vector<std::string>>);
    return {name, std::same_as<Type, std::vector<std::string>>, inner::access<member>};
}

/// A field is a member of Result, or a part of one: `measured<&Result::alongLags, &Side::bound>("bound", …)`.
template <auto... members>
constexpr FieldRow measured(const char* name, const char* symbol, AxisRows axes, const char* about) {
    return inner::found<members...>({name, symbol, axes, about}, Role::Measurement);
}
template <auto... members>
constexpr FieldRow theory(const char* name, const char* symbol, AxisRows axes, const char* about) {
    return inner::found<members...>({name, symbol, axes, about}, Role::Theory);
}
template <auto... members>
constexpr FieldRow limiting(const char* name, const char* symbol, AxisRows axes, const char* about) {
    return inner::found<members...>({name, symbol, axes, about}, Role::Bound);
}
constexpr FieldRow operator|(FieldRow row, FieldRow (*also)(FieldRow)) { return also(row); }
/// Its axes in a plane, as `| onGrid({kLayer, kY, kX})`.
struct onGrid {
    AxisRows axes;
};
constexpr FieldRow operator|(FieldRow row, const onGrid& grid) { return row.gridAxes = grid.axes, row; }
constexpr FieldRow gaps(FieldRow row) { return row.gaps = true, row; }
constexpr FieldRow chaotic(FieldRow row) { return row.chaotic = true, row; }

/// A preset: what it changes about the defaults, as `preset<[](Params& p) { p.layers = 200; }>("Two hundred layers", "What to see.")`.
template <auto change>
constexpr PresetRow preset(const char* name, const char* lookAt = "") {
    static_assert(!std::invocable<decltype(+change), const inner::Subject<change>&>,
                  "a preset changes the Params it is given: write [](Params& p) { p.layers = 200; }");
    return {name, [](void* params) { change(*static_cast<inner::Subject<change>*>(params)); }, lookAt};
}

/// Tables of rows, one after the other: what several scenes share and what one has of its own.
template <class Row, std::size_t... sizes>
constexpr std::array<Row, (sizes + ...)> joined(const Row (&... tables)[sizes]) {
    std::array<Row, (sizes + ...)> all{};
    std::size_t next = 0;
    const auto append = [&](const auto& table) {
        for (const Row& row : table) all[next++] = row;
    };
    (append(tables), ...);
    return all;
}

template <class Params>
constexpr SceneTable sceneTable(SceneTable rows) {
    rows.makeParams = [] { return std::shared_ptr<void>(std::make_shared<Params>()); };
    return rows;
}

}  // namespace table

/// The table as the rest of the program reads it.
Declaration declare(const SceneTable&);
/// Params from values, every key being there. View params keep their defaults where `values` lacks them.
void bindParams(const SceneTable&, const Values& values, void* params);
/// One param as it is in `defaults`, or as the params beside it make its default.
void resetParam(const ParamRow&, const void* defaults, void* params);
/// A result as a report without scene, params and summary; its arrays are moved there.
Report takeReport(const SceneTable&, void* result, Findings&);
/// The inverse: what a report says, in the members of a default Result; arrays and their standard errors are copied there.
void readReport(const SceneTable&, const Report&, void* result);
/// Reads scalars and axes into the members and leaves the arrays in the report.
void readAllButArrays(const SceneTable&, const Report&, void* result);
/// Swaps the report's arrays and standard errors with the members: the result holds them, and a second call gives them back.
void swapArrays(const SceneTable&, Report&, void* result);

}  // namespace kappaflow
