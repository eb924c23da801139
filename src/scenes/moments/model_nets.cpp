#include "scenes/moments/model_nets.h"

#include <algorithm>
#include <cmath>

#include "core/base/errors.h"
#include "core/io/images.h"

namespace kappaflow::random_nets {
namespace {

constexpr std::pair<MomentKind, const char*> kKinds[] = {{MomentKind::Vanilla, "vanilla"},
                                                         {MomentKind::BatchNorm, "batch-norm"},
                                                         {MomentKind::Resnet, "resnet"},
                                                         {MomentKind::ResnetPlain, "resnet-plain"}};

Padding paddingOf(const std::string& key) {
    return key == "periodic" ? Padding::Periodic : key == "reflect" ? Padding::Reflect : Padding::Zero;
}

void readShape(MomentNet& net, const Values& v) {
    net.dimensions = v.is("space", "dense") ? 0 : v.is("space", "conv1d") ? 1 : 2;
    net.width = net.inputs = static_cast<std::size_t>(v.integer("width"));
    net.layers = static_cast<std::size_t>(v.integer("layers"));
    if (net.dimensions == 0) return;
    net.extent = static_cast<std::size_t>(v.integer("extent"));
    net.taps = static_cast<std::size_t>(v.integer("taps"));
    net.boundary = paddingOf(v.text("boundary"));
}

/// Multiply-adds of the stem, for signal and noise, at most: files hold up to three colours.
double stemProducts(const NetSetup& s) {
    if (s.data != MomentData::Images) return 0;
    const double side = static_cast<double>(imageExtent(s.net));
    const double window = s.net.dimensions == 0 ? 3 * side * side : 3 * std::pow(3.0, s.net.dimensions);
    return 2 * s.points() * window * static_cast<double>(s.net.inputs);
}

}  // namespace

MomentKind momentKindFromKey(std::string_view key) {
    for (const auto& [kind, name] : kKinds)
        if (key == name) return kind;
    return MomentKind::Vanilla;
}

const char* keyOf(MomentKind kind) { return kKinds[static_cast<std::size_t>(kind)].second; }

NetSetup readNet(const Values& v) {
    NetSetup s;
    readShape(s.net, v);
    s.net.inner = static_cast<std::size_t>(v.integer("branch"));
    s.net.activation = activationFromKey(v.text("activation"));
    s.net.epsilon = v.number("epsilon");
    s.net.skipScale = v.number("skipScale");
    s.net.weightScale = v.number("weightScale");
    s.net.biasVariance = v.number("biasVariance");
    s.fromFile = v.is("data", "file");
    s.data = s.fromFile ? MomentData::Images : momentDataFromKey(v.text("data"));
    s.samples = static_cast<std::size_t>(v.integer("samples"));
    s.draws = static_cast<std::size_t>(v.integer("draws"));
    s.seed = v.seed();
    return withKind(std::move(s), momentKindFromKey(v.text("net")));
}

NetSetup withKind(NetSetup s, MomentKind kind) {
    s.net.kind = kind;
    return s;
}

NetSetup readNet(const Request& request) {
    NetSetup s = readNet(request.params);
    if (!s.fromFile) return s;
    if (!request.data) throw InputError("data=file needs the data file itself, which a link does not carry: open it again.");
    s.images = std::make_shared<const ImageSet>(readImages(request.data->bytes, request.data->name));
    if (s.images->count < s.samples)
        throw InputError("The file " + quote(request.data->name) + " holds " + std::to_string(s.images->count) +
                         " images, fewer than samples=" + std::to_string(s.samples) + ".");
    return s;
}

MomentPropagation propagationOf(const NetSetup& s, std::size_t draw, MomentPropagation::Wanted wanted) {
    SignalAndNoise input =
        s.images ? drawMomentInput(s.net, *s.images, s.samples, s.seed, draw) : drawMomentInput(s.net, s.data, s.samples, s.seed, draw);
    const auto weights = [net = s.net, seed = s.seed, draw](std::size_t layer) { return drawMomentWeights(net, layer, seed, draw); };
    return MomentPropagation(s.net, std::move(input), weights, wanted);
}

Cost costOfDraw(const NetSetup& s, MomentPropagation::Wanted wanted) {
    // Measured: 0.3 ns a multiply-add, 12 ns a weight, and so many ns for the other passes over a tensor's entries.
    const double passes = s.net.residual() ? 30 : s.net.normalised() ? 25 : 20;
    const double points = s.points(), width = static_cast<double>(s.net.width);
    const double least = std::min(points, width), most = std::max(points, width);
    const double linear = static_cast<double>(s.net.linearLayers());
    const double fanIn = std::pow(static_cast<double>(s.net.taps), s.net.dimensions) * width;
    const double ranks = wanted.ranks ? least * least * (0.5 * most + 95) : 0;
    const double layer = 0.6 * points * fanIn * width + 12 * fanIn * width + passes * points * width + ranks + 1e4;
    const double tensors = 12 * points * width + (s.net.dimensions > 0 ? points * fanIn : 0);
    const double images = stemProducts(s) > 0 ? 40 * points * 27 : 0;
    return {linear * layer + 2 * stemProducts(s) + 50 * points * width,
            8 * (tensors + fanIn * width + images + 3 * least * least) + (s.fromFile ? 1e8 : 0)};
}

std::string costliestParam(const Request& request, const std::function<Cost(const Request&)>& cost) {
    const Declaration& declaration = *findDeclaration(request.scene);
    const auto shareOf = [&](const Request& asked) {
        const Cost c = cost(asked);
        return std::max(c.operations / kCostLimit.operations, c.bytes / kCostLimit.bytes);
    };
    const bool given = declaration.param("network") && !request.params.is("network", "");
    std::string best = given ? "network" : "width";
    double least = std::max(0.75 * shareOf(request), 1.0);
    for (const char* key : {"draws", "width", "samples", "layers", "taps", "extent", "branch"}) {
        const Param* param = declaration.param(key);
        if (!param || request.params.at(key) == standardBeside(*param, request.params)) continue;
        Request fewer = request;
        fewer.params.set(key, standardBeside(*param, request.params));
        if (const double left = shareOf(fewer); left < least) least = left, best = key;
    }
    return best;
}

}  // namespace kappaflow::random_nets
