#pragma once
#include "scenes/scene.h"

namespace kappaflow {

/// Params and fields as declarations write them down; what is not given here is set on the result.

inline Param param(Kind kind, std::string key, std::string symbol, std::string label, Value standard, std::string help,
                   std::string serves) {
    Param p;
    p.kind = kind;
    p.key = std::move(key);
    p.symbol = std::move(symbol);
    p.label = std::move(label);
    p.standard = std::move(standard);
    p.help = std::move(help);
    p.serves = std::move(serves);
    return p;
}

/// The first option is the default.
inline Param choiceParam(std::string key, std::string label, std::vector<Option> options, std::string help, std::string serves) {
    Param p = param(Kind::Choice, std::move(key), "", std::move(label), options.front().key, std::move(help), std::move(serves));
    p.options = std::move(options);
    return p;
}

inline Param inRange(Param p, double min, double max) {
    p.min = min;
    p.max = max;
    return p;
}

inline Param logarithmic(Param p) {
    p.logarithmic = true;
    return p;
}

inline Param oddOnly(Param p) {
    p.odd = true;
    return p;
}

/// A name for one value of a number, inside its range or not.
inline Param named(Param p, const std::string& name, double value) {
    p.options.push_back({name, name, value});
    return p;
}

inline Param underMore(Param p) {
    p.group = Group::More;
    return p;
}

inline Param visibleWhen(bool (*visible)(const Values&), Param p) {
    p.visible = visible;
    return p;
}

inline Param seedParam(std::string help, std::string serves) {
    return underMore(inRange(param(Kind::Seed, "seed", "", "seed", 1.0, std::move(help), std::move(serves)), 0, 4294967295.0));
}

/// Where the timeline stands (the newest layer reached, up to `max`) and whether it plays; no controls of their own.
inline std::vector<Param> timelineParams(double max, const std::string& help, const std::string& serves) {
    std::vector<Param> params{inRange(param(Kind::Number, "at", "l", "layer", 0.0, help, serves), 0, max),
                              param(Kind::Boolean, "play", "", "play", true, "Whether the layers pass by themselves.", serves)};
    for (auto& p : params) {
        p.group = Group::Hidden;
        p.affects = Affects::View;
    }
    return params;
}

inline Field theoryField(std::string name, std::string symbol, std::vector<std::string> axes, std::string about) {
    return {std::move(name), std::move(symbol), std::move(axes), std::move(about), Role::Theory};
}

}  // namespace kappaflow
