#include "scene/declare.h"

namespace kappaflow {

Param param(Kind kind, Text key, Text symbol, Text label, Value standard, Text help, Text serves) {
    Param p;
    p.kind = kind;
    p.key = key.chars;
    p.symbol = symbol.chars;
    p.label = label.chars;
    p.standard = std::move(standard);
    p.help = help.chars;
    p.serves = serves.chars;
    return p;
}

Param choiceParam(Text key, Text label, std::vector<Option> options, Text help, Text serves) {
    Param p = param(Kind::Choice, key, "", label, options.front().key, help, serves);
    p.options = std::move(options);
    return p;
}

Param wholeParam(Text key, Text symbol, Text label, double standard, double min, double max, Text help, Text serves) {
    return inRange(param(Kind::Integer, key, symbol, label, standard, help, serves), min, max);
}

Param seedParam(Text help, Text serves) {
    return underMore(inRange(param(Kind::Seed, "seed", "", "seed", 1.0, help, serves), 0, 4294967295.0));
}

std::vector<Param> timelineParams(double max, Text help, Text serves) {
    std::vector<Param> params{inRange(param(Kind::Number, "at", "l", "layer", 0.0, help, serves), 0, max),
                              param(Kind::Boolean, "play", "", "play", true, "Whether the layers pass by themselves.", serves)};
    for (auto& p : params) {
        p.group = Group::Hidden;
        p.affects = Affects::View;
    }
    return params;
}

Param inRange(Param p, double min, double max) {
    p.min = min;
    p.max = max;
    return p;
}

Param logarithmic(Param p) {
    p.logarithmic = true;
    return p;
}

Param oddOnly(Param p) {
    p.odd = true;
    return p;
}

Param named(Param p, Text name, double value) {
    p.options.emplace_back(name, name, value);
    return p;
}

Param underMore(Param p) {
    p.group = Group::More;
    return p;
}

Param visibleWhen(bool (*visible)(const Values&), Param p) {
    p.visible = visible;
    return p;
}

Field theoryField(Text name, Text symbol, std::initializer_list<const char*> axes, Text about) {
    return {name, symbol, axes, about, Role::Theory};
}

Field theoryField(Text name, Text symbol, std::vector<std::string> axes, Text about) {
    return {name, symbol, std::move(axes), about, Role::Theory};
}

}  // namespace kappaflow
