#include "core/io/onnx_plan.h"

#include <algorithm>
#include <map>

#include "core/base/errors.h"
#include "core/io/onnx_attributes.h"
#include "core/io/printable.h"

namespace kappaflow::onnx {
namespace {

/// Places in the data flow: 0 is the model's input, i + 1 the i-th computed node.
class Planner {
public:
    Planner(const std::vector<const Node*>& order, const Constants& constants, std::string_view input);
    std::vector<Step> planTo(std::string_view output);

private:
    struct Place {
        const Node* node = nullptr;
        std::vector<std::size_t> readsFrom;  ///< one place or two
        std::size_t dominator = 0, depth = 0;
        bool taken = false;
    };
    void addNode(const Node&, const std::vector<std::string_view>& reads);
    std::size_t placeOf(const Node& reader, std::string_view value) const;
    std::size_t commonDominator(std::size_t a, std::size_t b) const;
    std::vector<Step> chain(std::size_t from, std::size_t to, int nesting);
    Step join(Place&, int nesting);
    void requireAllTaken() const;

    std::vector<Place> places_{Place{}};
    std::map<std::string_view, std::size_t> makers_;
};

bool mayJoin(const Node& node) { return node.type == "Add" || node.type == "Sum"; }

Planner::Planner(const std::vector<const Node*>& order, const Constants& constants, std::string_view input) {
    makers_[input] = 0;
    for (const Node* node : order) {
        const auto reads = constants.computedInputs(*node);
        if (!reads.empty()) addNode(*node, reads);
    }
}

void Planner::addNode(const Node& node, const std::vector<std::string_view>& reads) {
    if (reads.size() > 2 || (reads.size() == 2 && !mayJoin(node)))
        refuse(node, "it joins " + std::to_string(reads.size()) +
                         " computed values; the only join that is supported is the Add (or Sum) of two, as in residual networks");
    Place place;
    place.node = &node;
    for (std::string_view value : reads) place.readsFrom.push_back(placeOf(node, value));
    place.dominator = commonDominator(place.readsFrom.front(), place.readsFrom.back());
    place.depth = places_[place.dominator].depth + 1;
    makers_[node.outputs.front()] = places_.size();
    for (std::size_t i = 1; i < node.outputs.size(); ++i)
        if (!node.outputs[i].empty()) makers_[node.outputs[i]] = places_.size();
    places_.push_back(std::move(place));
}

std::size_t Planner::placeOf(const Node& reader, std::string_view value) const {
    const auto found = makers_.find(value);
    if (found == makers_.end()) refuse(reader, "it reads " + quoted(value) + ", which is made from no input of the model");
    const Node* maker = places_[found->second].node;
    if (maker && maker->outputs.front() != value)
        refuse(reader, "it reads " + quoted(value) + ", which is not the first output of " + label(*maker));
    return found->second;
}

std::size_t Planner::commonDominator(std::size_t a, std::size_t b) const {
    while (a != b) {
        if (places_[a].depth < places_[b].depth) std::swap(a, b);
        a = places_[a].dominator;
    }
    return a;
}

std::vector<Step> Planner::planTo(std::string_view output) {
    const auto found = makers_.find(output);
    if (found == makers_.end()) throw InputError("output " + quoted(output) + ": no node computes it from the model's input.");
    const Node* last = places_[found->second].node;
    if (last && last->outputs.front() != output)
        throw InputError("output " + quoted(output) + ": it is not the first output of " + label(*last) + ".");
    std::vector<Step> steps = chain(0, found->second, 0);
    requireAllTaken();
    return steps;
}

std::vector<Step> Planner::chain(std::size_t from, std::size_t to, int nesting) {
    std::vector<Step> steps;
    while (to != from) {
        Place& place = places_[to];
        if (place.taken)
            refuse(*place.node, "what it makes (" + quoted(place.node->outputs.front()) +
                                    ") is read by residual blocks that overlap; they must follow each other or be nested");
        place.taken = true;
        if (place.readsFrom.size() == 1) {
            steps.push_back({place.node, false, {}, {}});
            to = place.readsFrom.front();
        } else {
            steps.push_back(join(place, nesting));
            to = place.dominator;
        }
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
}

Step Planner::join(Place& place, int nesting) {
    if (nesting >= kMaxResidualNesting)
        refuse(*place.node, "residual blocks are nested more than " + std::to_string(kMaxResidualNesting) + " deep");
    std::vector<Step> first = chain(place.dominator, place.readsFrom[0], nesting + 1);
    std::vector<Step> second = chain(place.dominator, place.readsFrom[1], nesting + 1);
    if (first.size() < second.size()) first.swap(second);
    return {place.node, true, std::move(first), std::move(second)};
}

void Planner::requireAllTaken() const {
    for (std::size_t i = 1; i < places_.size(); ++i)
        if (!places_[i].taken)
            refuse(*places_[i].node, "what it makes (" + quoted(places_[i].node->outputs.front()) +
                                         ") does not lead to the output; networks that branch without an Add are not supported");
}

}  // namespace

std::vector<Step> residualPlan(const std::vector<const Node*>& order, const Constants& constants, std::string_view input,
                               std::string_view output) {
    return Planner(order, constants, input).planTo(output);
}

}  // namespace kappaflow::onnx
