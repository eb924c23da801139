#include "scenes/linear_models/multi_input/model_setup.h"

#include "core/linear/tensor_train.h"

namespace kappaflow::multi_input {
namespace {

using Size = std::size_t;

constexpr int kMostComponents = 16, kMostChannels = 16;

/// Beside the stack asked for no other takes more: seconds, for one curve.
constexpr double kMostBeside = 5e7;

bool cheap(int layers, int d, int c) {
    const HierarchicalShape shape = dilatedTree(layers, 2, c, d);
    const double rank = static_cast<double>(tensorTrainDimension(shape));
    return receptiveField(shape) * d * rank * rank < kMostBeside;
}

/// d, c, 4d, 2c and so on, d/4, c/2 and so on, as long as both are whole and within bounds.
std::vector<std::pair<int, int>> sameRatio(int layers, int d, int c) {
    std::vector<std::pair<int, int>> all{{d, c}};
    for (int m = d, k = c; m % 4 == 0 && k % 2 == 0;) all.insert(all.begin(), {m /= 4, k /= 2});
    for (int m = 4 * d, k = 2 * c; m <= kMostComponents && k <= kMostChannels && cheap(layers, m, k); m *= 4, k *= 2)
        all.emplace_back(m, k);
    return all;
}

}  // namespace

std::vector<double> Setup::exponents(int count) const {
    std::vector<double> alphas;
    alphas.reserve(static_cast<Size>(count));
    for (int k = 0; k < count; ++k)
        alphas.push_back(count == 1 ? 0.5 * (alphaLow + alphaHigh) : alphaLow + (alphaHigh - alphaLow) * k / (count - 1));
    return alphas;
}

std::vector<wide::Member> Setup::members() const {
    std::vector<wide::Member> all;
    for (const int c : channels) all.push_back({dilatedTree(layers, 2, c, components), static_cast<double>(components)});
    for (const auto& [d, c] : scaled)
        if (d != components) all.push_back({dilatedTree(layers, 2, c, d), static_cast<double>(d)});
    return all;
}

Size Setup::memberOfScaled(Size i) const {
    if (scaled[i].first == components) return channels.size() - 1;
    Size place = channels.size();
    for (Size k = 0; k < i; ++k) place += scaled[k].first != components;
    return place;
}

int Setup::componentsOf(Size member) const {
    for (Size i = 0; member >= channels.size() && i < scaled.size(); ++i)
        if (memberOfScaled(i) == member) return scaled[i].first;
    return components;
}

Setup readSetup(const Values& v) {
    Setup s;
    s.components = v.integer("components");
    s.layers = v.integer("layers");
    s.alphaLow = v.number("alphaLow");
    s.alphaHigh = v.number("alphaHigh");
    const int c = v.integer("channels");
    for (int k = 1; k < c; k *= 2) s.channels.push_back(k);
    s.channels.push_back(c);
    s.scaled = sameRatio(s.layers, s.components, c);
    s.search = wide::searchSettings(v);
    return s;
}

Cost costOf(const Request& request) {
    const Setup s = readSetup(request.params);
    return wide::costOfSeries(s.members(), s.search);
}

std::string costliestOf(const Request& request) {
    return wide::costliestOf(request, costOf, {"steps", "layers", "channels"}, "components");
}

}  // namespace kappaflow::multi_input
