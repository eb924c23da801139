#include <algorithm>
#include <cmath>

#include "core/moments/gram.h"

namespace kappaflow {
namespace {

double rankOf(Matrix gram) {
    bringToUnit(gram);
    double trace = 0;
    for (std::size_t i = 0; i < gram.rows; ++i) trace += gram(i, i);
    const double top = largestEigenvalue(gram);
    return top > 0 ? std::max(1.0, trace / top) : 0;
}

/// A unit vector over channels from an eigenvector of the Gram matrix; zero for eigenvalue 0. Its largest entry is positive.
std::vector<double> direction(const CentredGram& g, std::vector<double> vector) {
    if (!g.overChannels) {
        std::vector<double> u(g.centred.columns);
        for (std::size_t p = 0; p < g.centred.rows; ++p)
            for (std::size_t c = 0; c < u.size(); ++c) u[c] += vector[p] * g.centred(p, c);
        vector = std::move(u);
    }
    double square = 0, largest = 0;
    for (const double x : vector) {
        square += x * x;
        if (std::abs(x) > std::abs(largest)) largest = x;
    }
    if (square > 0)
        for (double& x : vector) x *= (largest > 0 ? 1 : -1) / std::sqrt(square);
    return vector;
}

double along(const double* row, const std::vector<double>& u) {
    double sum = 0;
    for (std::size_t c = 0; c < u.size(); ++c) sum += row[c] * u[c];
    return sum;
}

}  // namespace

double effectiveRank(const PointValues& tensor, bool centred) {
    CentredGram g = centredGram(tensor);
    return rankOf(centred ? std::move(g.gram) : uncentredGram(g));
}

PrincipalCloud principalCloud(const SignalAndNoise& state, std::size_t mostPoints) {
    const std::size_t P = state.signal.points(), count = std::min(P, mostPoints);
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < count; ++i) shown.push_back(i * P / count);
    return principalCloud(state, shown);
}

PrincipalCloud principalCloud(const SignalAndNoise& state, const std::vector<std::size_t>& shown) {
    CentredGram g = centredGram(state.signal);
    bringToUnit(g.gram);
    const TopPair top = topPair(g.gram);
    PrincipalCloud cloud;
    double trace = 0;
    for (std::size_t i = 0; i < g.gram.rows; ++i) trace += g.gram(i, i);
    if (trace > 0) cloud.first = top.first / trace, cloud.second = top.second / trace, cloud.share = cloud.first + cloud.second;
    const auto u = direction(g, top.firstVector), v = direction(g, top.secondVector);
    for (const std::size_t p : shown) {
        cloud.signal.insert(cloud.signal.end(), {along(g.centred.row(p), u), along(g.centred.row(p), v)});
        cloud.noise.insert(cloud.noise.end(), {along(state.noise.values.row(p), u), along(state.noise.values.row(p), v)});
    }
    return cloud;
}

}  // namespace kappaflow
