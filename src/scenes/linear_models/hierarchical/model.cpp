#include <algorithm>
#include <cmath>

#include "core/linear/hierarchical_model.h"
#include "core/linear/linear_model.h"
#include "scenes/linear_models/model_subject.h"
#include "scenes/linear_models/model_task.h"
#include "scenes/stepwise.h"

namespace kappaflow {
namespace {

using linear::Frame;
using linear::printedLayers;
using linear::treeShape;

class Trees final : public linear::Subject {
public:
    explicit Trees(const Values& params) : params_(params) {}

    std::unique_ptr<LinearModel> model(std::size_t channels) const override {
        return std::make_unique<HierarchicalModel>(treeShape(params_, static_cast<int>(channels)));
    }
    std::unique_ptr<LinearModel> other() const override {
        const auto length = static_cast<std::size_t>(receptiveField(treeShape(params_, 1)));
        if (params_.is("compare", "full")) return std::make_unique<FullModel>(length);
        if (params_.is("compare", "none")) return nullptr;
        return std::make_unique<RecurrentModel>(length, static_cast<std::size_t>(params_.number("otherChannels")));
    }
    std::vector<double> pulled(const LinearModel& model, std::vector<double> weights) const override {
        const auto& factors = params_.list("pull");
        const auto& tree = static_cast<const HierarchicalModel&>(model);
        fixSigns(tree, weights);
        forTaps(tree.shape(), [&](std::size_t l, std::size_t tap, std::size_t turn) {
            if (turn >= factors.size()) return;
            forWeights(tree, l, tap, [&](std::size_t index) { weights[index] *= factors[turn]; });
        });
        return weights;
    }
    void addOwn(FilledReport& out, const Axis& timeline, const std::vector<Frame>& frames) const override {
        const HierarchicalShape one = treeShape(params_, 1);
        std::vector<double> sizes, dilations(one.dilations.begin(), one.dilations.end());
        for (const Frame& frame : frames) {
            const auto channels = timeline.name == "step" ? params_.number("channels") : frame.place;
            const HierarchicalModel tree(treeShape(params_, static_cast<int>(channels)));
            forTaps(tree.shape(), [&](std::size_t l, std::size_t tap, std::size_t) {
                double squares = 0, last = 0;
                forWeights(tree, l, tap, [&](std::size_t index) { last = frame.weights[index], squares += last * last; });
                sizes.push_back(channels == 1 ? last : std::sqrt(squares));
            });
        }
        Axis layer{"layer", {}, {}}, tap{"tap", {}, {}};
        for (std::size_t l = 1; l <= one.layers(); ++l) layer.values.push_back(static_cast<double>(l));
        for (int k = 0; k < one.taps.front(); ++k) tap.values.push_back(k);
        out.add("dilations", {layer}, std::move(dilations));
        out.add("weightSizes", {timeline, std::move(layer), std::move(tap)}, std::move(sizes));
    }
    std::vector<ReportLayer> network(const Frame& frame) const override {
        return printedLayers(HierarchicalModel(treeShape(params_, params_.integer("channels"))), frame.weights);
    }
    std::string name(std::size_t channels) const override {
        const HierarchicalShape shape = treeShape(params_, 1);
        return std::string(isTensorTrain(shape) ? "A tree" : "A stack") + " of " + std::to_string(shape.layers()) +
               (shape.layers() == 1 ? " layer" : " layers") + " with " + std::to_string(channels) +
               (channels == 1 ? " channel" : " channels");
    }

private:
    /// With one channel two layers may change their signs together: below the last one the largest weight is positive.
    static void fixSigns(const HierarchicalModel& tree, std::vector<double>& weights) {
        const auto& blocks = tree.layers();
        if (tree.shape().channels.size() > 2 && tree.shape().channels[1] > 1) return;
        for (std::size_t l = 0; l + 1 < blocks.size(); ++l) {
            const auto begin = weights.begin() + static_cast<std::ptrdiff_t>(blocks[l].first);
            const auto end = begin + static_cast<std::ptrdiff_t>(blocks[l].count);
            const auto largest = std::max_element(begin, end, [](double a, double b) { return std::abs(a) < std::abs(b); });
            if (*largest >= 0) continue;
            for (const std::size_t block : {l, blocks.size() - 1})
                for (std::size_t i = 0; i < blocks[block].count; ++i) weights[blocks[block].first + i] *= -1;
        }
    }
    /// Every layer and tap, and its turn in the list of factors.
    template <class Visit>
    static void forTaps(const HierarchicalShape& shape, Visit&& visit) {
        std::size_t turn = 0;
        for (std::size_t l = 1; l <= shape.layers(); ++l)
            for (int k = 0; k < shape.taps[l - 1]; ++k) visit(l, static_cast<std::size_t>(k), turn++);
    }
    /// The indices of W^l[tap].
    template <class Visit>
    static void forWeights(const HierarchicalModel& tree, std::size_t l, std::size_t tap, Visit&& visit) {
        const auto in = static_cast<std::size_t>(tree.shape().channels[l - 1]), out = static_cast<std::size_t>(tree.shape().channels[l]);
        for (std::size_t o = 0; o < out; ++o)
            for (std::size_t i = 0; i < in; ++i) visit(tree.weightIndex(l, tap, o, i));
    }

    Values params_;
};

/// Trees reach their optimum within some thirty steps, or stay at rounding.
constexpr int kTreeIterations = 100;

linear::WalkSetup setupOf(const Request& request) {
    const HierarchicalShape shape = treeShape(request.params, 1);
    linear::WalkSetup setup = linear::readWalk(request, static_cast<std::size_t>(receptiveField(shape)));
    const bool tree = isTensorTrain(shape);
    if (setup.options.start == OptimumStart::Best && tree) setup.options.iterations = kTreeIterations;
    if (!tree && !setup.optimising) setup.options.restarts = request.params.integer("restarts");
    setup.shown = {1, 2, 4, setup.channels};
    if (setup.length <= 64)
        for (const std::size_t more : {3, 8}) setup.shown.push_back(more);
    std::sort(setup.shown.begin(), setup.shown.end());
    setup.shown.erase(std::unique(setup.shown.begin(), setup.shown.end()), setup.shown.end());
    return setup;
}

Cost costOf(const Request& request) {
    if (!linear::oversized(request.params).empty()) return {1e12, 1e9};
    return linear::walkCost(setupOf(request), Trees(request.params));
}

std::string costliestOf(const Request& request) {
    const Values& v = request.params;
    if (const std::string key = linear::oversized(v); !key.empty()) return key;
    Request fewer = request;
    fewer.params.set("restarts", 1.0);
    if (v.integer("restarts") > 1 && costOf(fewer).operations <= kCostLimit.operations) return "restarts";
    return v.number("channels") > 8 ? "channels" : v.is("dilation", "list") ? "dilations" : "layers";
}

std::unique_ptr<Computation> startHierarchical(const Request& request) {
    return linear::startWalk(setupOf(request), std::make_unique<Trees>(request.params));
}

}  // namespace

Model hierarchical_model() { return stepwise<costOf, costliestOf, startHierarchical>("hierarchical"); }

}  // namespace kappaflow
