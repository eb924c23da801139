#include "scenes/linear_models/capacity_sweep/model_setup.h"

#include <algorithm>
#include <cmath>

#include "core/linear/hierarchical_model.h"
#include "core/linear/recurrent_model.h"
#include "scenes/linear_models/model_task.h"

namespace kappaflow::capacity_sweep {
namespace {

std::vector<int> risingWholeNumbers(const std::vector<double>& list) {
    std::vector<int> numbers;
    for (double value : list) numbers.push_back(static_cast<int>(std::lround(value)));
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    if (numbers.empty()) numbers.push_back(1);
    return numbers;
}

/// Multiply-adds of one loss with its gradient. Layer l of a tree reaches 2^{L−l} lags from above, so that the sizes of all layers
/// but the lowest add up to those of one: four times Σ 2c²·2^{L−l}.
double slopeWork(const Setup& s, int c) {
    const double n = static_cast<double>(s.length), squared = static_cast<double>(c) * c;
    return 2 * n * n + (s.recurrent ? 12.0 * n * c : 4 * (n * squared / 2 + 3 * n * c));
}

/// L-BFGS: a line search of 1.2 evaluations on average, and 40 multiply-adds a weight in its two loops.
double randomWork(const Setup& s, int c) {
    return s.options.restarts * s.options.iterations * (1.2 * slopeWork(s, c) + 60 * s.parameters(c) + 2000);
}

double bestWork(const Setup& s, int c) {
    const double n = static_cast<double>(s.length), rank = std::min(n, 2.0 * c), p = s.parameters(c);
    if (s.recurrent) return 150 * (n * n * p + 8 * p * n * rank);
    return c >= n / 8 ? 20 * p + 60 * n * n : 40 * 100 * (n * n + 2 * n * rank * rank) + 50 * n * n * n;
}

}  // namespace

std::unique_ptr<LinearModel> Setup::model(int c) const {
    if (recurrent) return std::make_unique<RecurrentModel>(length, static_cast<std::size_t>(c));
    return std::make_unique<HierarchicalModel>(dilatedTree(layers, 2, c));
}

double Setup::parameters(int c) const { return recurrent ? 3.0 * c : parameterCount(dilatedTree(layers, 2, c)); }

Setup readSetup(const Values& v) {
    Setup s;
    s.recurrent = v.is("model", "recurrent");
    s.random = v.is("start", "random");
    s.layers = v.integer("layers");
    s.length = s.recurrent ? static_cast<std::size_t>(v.integer("length")) : std::size_t{1} << s.layers;
    s.channels = risingWholeNumbers(v.list("channelsList"));
    s.process = linear::processOf(v);
    s.options.start = OptimumStart::Random;
    s.options.seed = v.seed();
    s.options.restarts = v.integer("restarts");
    s.options.iterations = v.integer("iterations");
    return s;
}

std::vector<int> reportedIterations(int most) {
    std::vector<int> all;
    for (int i = 0; i < most; i = std::max(i + 1, static_cast<int>(i * 1.25))) all.push_back(i);
    all.push_back(most);
    return all;
}

Cost costOf(const Request& request) {
    const Setup s = readSetup(request.params);
    Cost cost{0, 1e6};
    for (int c : s.channels) {
        cost.operations += bestWork(s, c) + (s.random ? randomWork(s, c) : 0);
        cost.bytes = std::max(cost.bytes, s.parameters(c) * 8 * 36 + 1e6);
    }
    return cost;
}

std::string costliestOf(const Request& request) {
    const Setup s = readSetup(request.params);
    if (s.channels.back() > 64) return "channelsList";
    return s.options.restarts > 1 ? "restarts" : "iterations";
}

}  // namespace kappaflow::capacity_sweep
