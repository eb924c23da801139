#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "support/slow_paths.h"

namespace kappaflow::slow {

/// D = P∘P through a block without batch norm, path by path: from each output unit a walk to every unit that it reads, with the square of
/// its weight over those of all the unit reads. Weights are what unit inputs change, so that nothing here knows how layers store them.
class SquaredPaths {
public:
    explicit SquaredPaths(const Layer& block) : block_(block), layers_(block.as<Block>().inner) {}

    /// Capacity of the inputs; what finds no way is added to `lost`.
    std::vector<double> below(const std::vector<double>& top, double& lost) {
        capacity_.assign(block_.in.units(), 0);
        lost_ = 0;
        for (std::size_t j = 0; j < top.size(); ++j) follow(layers_.size(), j, top[j]);
        lost += lost_;
        return capacity_;
    }

private:
    struct Way {
        std::size_t place, unit;
        double weight;
    };

    void follow(std::size_t place, std::size_t unit, double amount) {
        if (amount == 0) return;
        if (place == 0) return void(capacity_[unit] += amount);
        double sum = 0;
        std::vector<Way> ways = waysOf(place - 1, unit);
        for (Way& way : ways) sum += way.weight *= way.weight;
        if (!(sum > 0)) lost_ += amount;
        for (const Way& way : ways)
            if (sum > 0) follow(way.place, way.unit, amount * way.weight / sum);
    }

    std::vector<Way> waysOf(std::size_t l, std::size_t unit) const {
        const Layer& layer = layers_[l];
        std::vector<Way> ways;
        std::size_t first = 0;
        for (std::size_t k = 0; k < std::max<std::size_t>(1, layer.reads.size()); ++k) {
            const std::size_t place = operandOf(layers_, l, k), units = unitsAt(place);
            if (layer.is<Sum>()) ways.push_back({place, unit, layer.as<Sum>().scales[k] * normOf(place, unit)});
            if (layer.is<Concat>() && unit >= first && unit < first + units) ways.push_back({place, unit - first, 1});
            if (layer.is<Product>() && !isGate(layers_, place)) ways.push_back({place, unit, 1});
            first += units;
        }
        if (layer.is<Join>()) return ways;
        const std::size_t place = operandOf(layers_, l);
        for (const auto& [from, weight] : weightsOf(layer, unit))
            if (!isZero(place, from)) ways.push_back({place, from, weight});
        return ways;
    }

    static std::vector<std::pair<std::size_t, double>> weightsOf(const Layer& layer, std::size_t unit) {
        std::vector<std::pair<std::size_t, double>> weights;
        if (layer.is<Pointwise>()) return {{unit, 1.0}};
        if (layer.is<MaxPool>()) {
            eachTap(layer, [&](std::size_t to, std::size_t from) {
                if (to == unit) weights.push_back({from, 1.0});
            });
            return weights;
        }
        std::vector<double> x(layer.in.units());
        const double rest = applyLayer(layer, x)[unit];
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = 1;
            if (const double weight = applyLayer(layer, x)[unit] - rest; weight != 0) weights.push_back({i, weight});
            x[i] = 0;
        }
        return weights;
    }

    /// Of the last linear map's column before a place.
    double normOf(std::size_t place, std::size_t unit) const {
        if (place == 0) return 1;
        const Layer& layer = layers_[place - 1];
        if (layer.is<MaxPool>()) return 1;
        const bool passesOn = layer.is<Pointwise, Flatten, Route, Concat, Product>();
        double squares = 0;
        for (const Way& way : waysOf(place - 1, unit)) {
            const double weight = passesOn ? normOf(way.place, way.unit) : way.weight;
            squares += weight * weight;
        }
        return std::sqrt(squares);
    }

    /// 0 whatever the input.
    bool isZero(std::size_t place, std::size_t unit) const {
        if (place == 0) return false;
        const Layer& layer = layers_[place - 1];
        if (layer.is<Route>() && layer.as<Route>().route[unit] < 0) return true;
        if (!layer.is<Route, Pointwise, Concat, Flatten>()) return false;
        const std::vector<Way> ways = waysOf(place - 1, unit);
        return std::all_of(ways.begin(), ways.end(), [&](const Way& way) { return isZero(way.place, way.unit); });
    }

    std::size_t unitsAt(std::size_t place) const { return place == 0 ? block_.in.units() : layers_[place - 1].out.units(); }

    const Layer& block_;
    const std::vector<Layer>& layers_;
    std::vector<double> capacity_;
    double lost_ = 0;
};

}  // namespace kappaflow::slow
