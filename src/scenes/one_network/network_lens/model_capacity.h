#pragma once
#include <vector>

#include "core/capacity/capacity_network.h"
#include "core/capacity/flow_edges.h"
#include "scenes/one_network/network_lens/model_lens.h"

namespace kappaflow::lens {

/// Capacity of a network's states from the top down, as far as the work allows.
struct Descent {
    std::vector<std::vector<double>> capacity;  ///< [layer 0 … L][unit]; empty where it was not reached
    std::size_t reached = 0;                    ///< lowest state that has one
};

/// Of a chosen output.
class CapacityLens final : public Lens {
public:
    void start(const Setup&, const Network&, double work) override;
    bool step() override;
    void addTo(FilledReport&) const override;

    const Descent& descent() const { return descent_; }

private:
    void beginFlow();
    void descend(std::size_t l);
    void addFlow(FilledReport&) const;

    std::vector<WeightLayer> layers_;
    Descent descent_;
    double left_ = 0;  ///< operations
    int bin_ = 0;      ///< 0: the flow is not drawn
    std::vector<LayerEdges> flow_;
};

/// Numbers of capacities that a report may hold.
inline constexpr double kMostCells = 3e5;

/// Shapes of the states: of the input and behind each of those layers.
std::vector<Shape> stateShapes(const Network&, const std::vector<WeightLayer>&);
/// Shapes and numbers of parameters of a network's states.
void addShape(FilledReport&, const Network&);
/// Weights and biases of a layer and all inside it.
double parametersOf(const Layer&);
/// Capacity of one state as a row of numbers, padded with NaN to `width`.
void appendRow(std::vector<double>& rows, const std::vector<double>& values, std::size_t width);
/// (Σκ)²/Σκ², NaN of nothing.
double holdersOf(const std::vector<double>& capacity);

}  // namespace kappaflow::lens
