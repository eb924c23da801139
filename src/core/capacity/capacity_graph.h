#pragma once
#include <utility>
#include <vector>

#include "core/capacity/gates.h"
#include "core/capacity/weight_layers.h"

namespace kappaflow {

/// The way of capacity down a block by D = P∘P, layer after layer from its output to its input. What stands behind a Sum splits between
/// its operands as (scales_k · norm_k)², norm_k that of the last linear map's column before operand k at the unit, inputs of unit variance
/// assumed: 1 of the block's input and behind max pooling; activations, Flatten, Route and Concat pass norms on, batch norm multiplies by
/// |scale|, a Product has that of the factor it follows, a Sum's is the hypotenuse of its operands'. Throws what followedOperands does.
class CapacityGraph {
public:
    /// The block must outlive this. Cost: the linear maps before Sums once, for their norms.
    explicit CapacityGraph(const Layer& block);

    /// What `top` becomes at the block's input. A walker says what a state of capacity is and how it moves:
    ///   void step(const Layer&, const ZeroUnits&, State&)             one layer down, neither join nor block, batch norms folded in
    ///   std::vector<State> split(State, const std::vector<std::vector<double>>& shares)   shares [operand][unit]; all 0: dead
    ///   State piece(const State&, std::size_t operand, std::size_t first, std::size_t count)   of a Concat: that operand's units
    ///   void merge(State& into, State more)                           into may be State()
    template <class Walker>
    typename Walker::State descend(Walker& walker, typename Walker::State top) const {
        using State = typename Walker::State;
        std::vector<State> at(layers_.size() + 1);
        at.back() = std::move(top);
        Layer scratch;
        for (std::size_t l = layers_.size(); l-- > 0;) {
            if (followed_[l].empty()) continue;
            State above = std::exchange(at[l + 1], State());
            if (layers_[l].is<Sum>()) {
                auto parts = walker.split(std::move(above), sharesOf(l));
                for (std::size_t k = 0; k < parts.size(); ++k) walker.merge(at[operandOf(layers_, l, k)], std::move(parts[k]));
            } else if (layers_[l].is<Concat>()) {
                for (std::size_t k = 0, first = 0; k < layers_[l].reads.size(); ++k) {
                    const std::size_t place = operandOf(layers_, l, k), count = unitsAt(place);
                    walker.merge(at[place], walker.piece(above, k, first, count));
                    first += count;
                }
            } else {
                if (parts_[l].layer) walker.step(parts_[l].withNorms(scratch), parts_[l].zeros, above);
                walker.merge(at[operandOf(layers_, l, followed_[l][0])], std::move(above));
            }
        }
        return std::move(at.front());
    }

private:
    std::size_t unitsAt(std::size_t place) const { return place == 0 ? inputs_ : layers_[place - 1].out.units(); }
    std::vector<std::vector<double>> sharesOf(std::size_t sum) const;
    void findNorms();
    std::vector<double> normsBehind(std::size_t l) const;

    const std::vector<Layer>& layers_;
    std::size_t inputs_;
    std::vector<std::vector<std::size_t>> followed_;
    std::vector<WeightLayer> parts_;
    std::vector<std::vector<double>> norms_;  ///< [place], where a Sum needs them
};

}  // namespace kappaflow
