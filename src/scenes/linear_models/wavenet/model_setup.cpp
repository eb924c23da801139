#include "scenes/linear_models/wavenet/model_setup.h"

#include <algorithm>
#include <cmath>

#include "scenes/linear_models/model_task.h"

namespace kappaflow::wavenet {

using Size = std::size_t;

HierarchicalShape Setup::shape(Size arrangement, int times) const {
    return repeated[arrangement] ? repeatedStack(block, times, 2, channels) : tiledStack(block, times, 2, channels);
}

HierarchicalShape Setup::composed(Size arrangement, int times) const {
    const HierarchicalShape all = shape(arrangement, times);
    HierarchicalShape merged;
    merged.channels = {all.channels.front()};
    for (Size l = 0; l < all.layers(); ++l) {
        if (l > 0 && all.dilations[l] == all.dilations[l - 1]) {
            ++merged.taps.back();
            merged.channels.back() = all.channels[l + 1];
            continue;
        }
        merged.taps.push_back(2);
        merged.dilations.push_back(all.dilations[l]);
        merged.channels.push_back(all.channels[l + 1]);
    }
    return merged;
}

Size Setup::inputs(int times) const {
    int sum = 0;
    for (const int d : block) sum += d;
    return 1 + static_cast<Size>(sum) * static_cast<Size>(times);
}

std::vector<wide::Member> Setup::members() const {
    std::vector<wide::Member> all;
    for (int r = 1; r <= repeats; ++r)
        for (Size a = 0; a < (alike(r) ? 1 : arrangements()); ++a) all.push_back({shape(a, r)});
    return all;
}

Size Setup::memberOf(Size arrangement, int times) const {
    Size before = 0;
    for (int r = 1; r < times; ++r) before += alike(r) ? 1 : arrangements();
    return before + (alike(times) ? 0 : arrangement);
}

int Setup::timesOf(Size member) const {
    int times = 1;
    while (times < repeats && memberOf(0, times + 1) <= member) ++times;
    return times;
}

std::vector<double> Setup::paths(int times) const {
    std::vector<double> count(inputs(repeats));
    count[0] = 1;
    for (int r = 0; r < times; ++r)
        for (const int d : block)
            for (Size lag = count.size(); lag-- > static_cast<Size>(d);) count[lag] += count[lag - static_cast<Size>(d)];
    return count;
}

std::vector<std::size_t> Setup::shown() const {
    std::vector<std::size_t> members;
    for (std::size_t a = 0; a < arrangements(); ++a) members.push_back(memberOf(a, repeats));
    return members;
}

Setup readSetup(const Values& v) {
    Setup s;
    for (const double d : v.list("block")) s.block.push_back(static_cast<int>(std::lround(d)));
    s.repeats = v.integer("repeats");
    s.channels = v.integer("channels");
    if (!v.is("arrangement", "repeated")) s.repeated.push_back(false);
    if (!v.is("arrangement", "tiled")) s.repeated.push_back(true);
    s.process = linear::processOf(v);
    s.search = wide::searchSettings(v);
    return s;
}

Cost costOf(const Request& request) {
    const Setup s = readSetup(request.params);
    return wide::costOfSeries(s.members(), s.search);
}

std::string costliestOf(const Request& request) {
    return wide::costliestOf(request, costOf, {"steps", "restarts", "channels", "repeats"}, "block");
}

}  // namespace kappaflow::wavenet
