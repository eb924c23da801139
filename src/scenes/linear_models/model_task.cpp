#include "scenes/linear_models/model_task.h"

namespace kappaflow::linear {

GaussianProcess processOf(const Values& v) {
    static constexpr std::pair<const char*, ProcessKind> kKinds[] = {{"power-law", ProcessKind::PowerLaw},
                                                                     {"arfima", ProcessKind::Arfima},
                                                                     {"exponentials", ProcessKind::Exponentials},
                                                                     {"ar1", ProcessKind::Ar1},
                                                                     {"ar2", ProcessKind::Ar2}};
    GaussianProcess process;
    for (const auto& [key, kind] : kKinds)
        if (v.is("process", key)) process.kind = kind;
    process.alpha = v.number("alpha");
    process.memory = v.number("memory");
    process.phi1 = v.number("phi1");
    process.phi2 = v.number("phi2");
    return process;
}

namespace {

constexpr double kMostLags = 600;

}  // namespace

HierarchicalShape treeShape(const Values& v, int channels) {
    std::vector<double> dilations = v.list("dilations");
    if (v.is("dilation", "doubling")) {
        dilations.assign(1, 1);
        while (static_cast<int>(dilations.size()) < v.integer("layers")) dilations.push_back(dilations.back() * v.number("taps"));
    }
    HierarchicalShape shape;
    for (const double dilation : dilations) {
        shape.taps.push_back(v.integer("taps"));
        shape.dilations.push_back(static_cast<int>(dilation));
        shape.channels.push_back(shape.channels.empty() ? 1 : channels);
    }
    shape.channels.push_back(1);
    return shape;
}

std::string oversized(const Values& v) {
    const HierarchicalShape shape = treeShape(v, v.integer("channels"));
    if (receptiveField(shape) > kMostLags) return v.is("dilation", "list") ? "dilations" : "layers";
    return parameterCount(shape) > kMaxModelParameters ? "channels" : "";
}

}  // namespace kappaflow::linear
