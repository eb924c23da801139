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
