#include "scenes/expressivity/trajectory_length/model_theory.h"

#include <cmath>

namespace kappaflow::trajectory_length {

std::vector<double> meanFieldLengths(const Setup& s) {
    const Trajectory& trajectory = s.trajectory;
    // On a circle E|x|²/k is 1 everywhere.
    const int places = trajectory.kind == Trajectory::Kind::Circle ? 1 : 48;
    const double step = (trajectory.to - trajectory.from) / places, nudge = 1e-3 * step;
    std::vector<double> lengths(s.layers + 1);
    double whole = 0;
    for (int i = 0; i < places; ++i) {
        const double t = trajectory.from + (i + 0.5) * step;
        const auto at = trajectory.at(t), after = trajectory.at(t + nudge);
        double speed = std::hypot(after[0] - at[0], after[1] - at[1]);
        whole += speed;
        lengths[0] += speed;
        const auto fields = meanFieldByLayer(s.setting, at[0] * at[0] + at[1] * at[1], s.layers);
        for (std::size_t l = 0; l < s.layers; ++l) lengths[l + 1] += speed *= std::sqrt(fields[l].chi);
    }
    for (double& length : lengths) length = whole > 0 ? length / whole : 0;
    return lengths;
}

std::vector<double> powers(double first, double base, std::size_t layers) {
    std::vector<double> values{first};
    for (std::size_t l = 0; l < layers; ++l) values.push_back(values.back() * base);
    return values;
}

double exactGrowth(const GrowthSetting& s) {
    if (s.activation == Activation::Relu) return reluGrowth(s.width, s.weightVariance);
    return s.activation == Activation::Abs ? absGrowth(s.width, s.weightVariance) : 0;
}

double theoremBase(const GrowthSetting& s) {
    if (s.activation == Activation::Relu) return theoremOneBaseRelu(s);
    return s.activation == Activation::HardTanh ? theoremOneBase(s) : 0;
}

}  // namespace kappaflow::trajectory_length
