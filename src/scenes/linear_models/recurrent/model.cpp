#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/linear/hierarchical_model.h"
#include "core/linear/linear_model.h"
#include "scenes/linear_models/model_subject.h"
#include "scenes/stepwise.h"

namespace kappaflow {
namespace {

using linear::Frame;

/// Two taps, dilations 1, 2, 4, …, the last one what is still missing.
HierarchicalShape stackOf(std::size_t length, int channels) {
    HierarchicalShape shape;
    int reach = 1;
    for (int dilation = 1; reach < static_cast<int>(length); dilation *= 2) {
        shape.taps.push_back(2);
        shape.dilations.push_back(std::min(dilation, static_cast<int>(length) - reach));
        shape.channels.push_back(shape.channels.empty() ? 1 : channels);
        reach += shape.dilations.back();
    }
    shape.channels.push_back(1);
    return shape;
}

class Recurrences final : public linear::Subject {
public:
    explicit Recurrences(const Values& params) : params_(params), length_(static_cast<std::size_t>(params.number("length"))) {}

    std::unique_ptr<LinearModel> model(std::size_t channels) const override { return std::make_unique<RecurrentModel>(length_, channels); }
    std::unique_ptr<LinearModel> other() const override {
        if (params_.is("compare", "full")) return std::make_unique<FullModel>(length_);
        if (params_.is("compare", "none")) return nullptr;
        return std::make_unique<HierarchicalModel>(stackOf(length_, params_.integer("otherChannels")));
    }
    /// Units in the order of their memories, the longest first, so that factors and lanes keep theirs.
    std::vector<double> pulled(const LinearModel& model, std::vector<double> weights) const override {
        const std::size_t c = model.parameters() / 3;
        std::vector<std::size_t> order(c);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weights[c + a] > weights[c + b]; });
        std::vector<double> sorted(weights.size());
        const auto& factors = params_.list("pull");
        for (std::size_t j = 0; j < c; ++j)
            for (std::size_t part = 0; part < 3; ++part)
                sorted[part * c + j] = weights[part * c + order[j]] * (part == 1 && j < factors.size() ? factors[j] : 1);
        return sorted;
    }
    void addOwn(FilledReport& out, const Axis& timeline, const std::vector<Frame>& frames) const override {
        static constexpr const char* kNames[] = {"inWeights", "recWeights", "outWeights"};
        std::size_t most = 0;
        for (const Frame& frame : frames) most = std::max(most, frame.weights.size() / 3);
        for (std::size_t part = 0; part < 3; ++part) {
            std::vector<double> values;
            for (const Frame& frame : frames) {
                const std::size_t c = frame.weights.size() / 3;
                for (std::size_t j = 0; j < most; ++j)
                    values.push_back(j < c ? frame.weights[part * c + j] : std::numeric_limits<double>::quiet_NaN());
            }
            out.add(kNames[part], {timeline, countedAxis("unit", most)}, std::move(values)).mayBeUndefined = true;
        }
    }
    std::vector<ReportLayer> network(const Frame& frame) const override {
        const std::size_t c = frame.weights.size() / 3;
        std::vector<ReportLayer> layers;
        for (const char* kind : {"in", "recurrent", "out"}) {
            const auto begin = frame.weights.begin() + static_cast<std::ptrdiff_t>(layers.size() * c);
            layers.push_back({kind, {c}, {begin, begin + static_cast<std::ptrdiff_t>(c)}, {}});
        }
        return layers;
    }
    std::string name(std::size_t channels) const override {
        return "A recurrent model with " + std::to_string(channels) + (channels == 1 ? " hidden unit" : " hidden units");
    }

private:
    Values params_;
    std::size_t length_;
};

linear::WalkSetup setupOf(const Request& request) {
    linear::WalkSetup setup = linear::readWalk(request, static_cast<std::size_t>(request.params.number("length")));
    setup.shown = {1, 2, 4, setup.channels};
    std::sort(setup.shown.begin(), setup.shown.end());
    setup.shown.erase(std::unique(setup.shown.begin(), setup.shown.end()), setup.shown.end());
    return setup;
}

Cost costOf(const Request& request) { return linear::walkCost(setupOf(request), Recurrences(request.params)); }

/// The first of these whose fall to its default makes the request admissible.
std::string costliestOf(const Request& request) {
    for (const auto& [key, standard] : {std::pair<const char*, double>{"restarts", 1}, {"channels", 2}, {"length", 64}}) {
        Request fewer = request;
        fewer.params.set(key, std::min(standard, request.params.number(key)));
        if (costOf(fewer).operations <= kCostLimit.operations) return key;
    }
    return "length";
}

std::unique_ptr<Computation> startRecurrent(const Request& request) {
    return linear::startWalk(setupOf(request), std::make_unique<Recurrences>(request.params));
}

}  // namespace

Model recurrent_model() { return stepwise<costOf, costliestOf, startRecurrent>("recurrent"); }

}  // namespace kappaflow
