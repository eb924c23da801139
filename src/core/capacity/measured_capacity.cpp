#include "core/capacity/measured_capacity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/errors.h"
#include "core/base/rng.h"
#include "core/linalg/decompositions.h"
#include "core/net/trainer.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Pairs that are looked at together.
constexpr Size kBlock = 256;

double halfPairs(double samples) { return samples * (samples - 1) / 2; }
Size symmetric(Size k) { return k * (k + 1) / 2; }

/// The offsets o whose pairs (s, s + o) are looked at: all pairs, or as many as fit.
std::vector<Size> offsetsOf(Size samples, const MeasureSpec& spec) {
    std::vector<Size> offsets((samples - 1) / 2);
    std::iota(offsets.begin(), offsets.end(), Size{1});
    if (halfPairs(static_cast<double>(samples)) <= spec.mostPairs) {
        if (samples % 2 == 0) offsets.push_back(samples / 2);
        return offsets;
    }
    const double rounds = std::floor(spec.mostPairs / static_cast<double>(samples));
    const auto count = static_cast<Size>(std::clamp(rounds, 1.0, static_cast<double>(offsets.size())));
    Rng rng(spec.seed, Purpose::MonteCarlo);
    for (Size i = 0; i < count; ++i) std::swap(offsets[i], offsets[i + static_cast<Size>(rng.below(offsets.size() - i))]);
    offsets.resize(count);
    return offsets;
}

/// Sums over pairs of one state: [unit][r ≤ s][group that the pair touches; all].
struct Sums {
    Size state, groups, parts;
    const Batch* y;
    Vector values;
    double* at(Size unit, Size part) { return &values[(unit * parts + part) * (groups + 1)]; }
    const double* at(Size unit, Size part) const { return &values[(unit * parts + part) * (groups + 1)]; }
};

/// A stretch of a block's pairs whose samples stay in their groups.
struct Run {
    Size from, to, one, other;
};

/// In four sums side by side: no addition waits for the one before it.
double sumOfProducts(const double* a, const double* b, Size count) {
    double sums[4] = {};
    Size p = 0;
    for (; p + 4 <= count; p += 4)
        for (Size k = 0; k < 4; ++k) sums[k] += a[p + k] * b[p + k];
    for (; p < count; ++p) sums[0] += a[p] * b[p];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

class Measurement {
public:
    Measurement(const GatedPaths& paths, const PathStart& start, const MeasureSpec& spec)
        : paths_(paths),
          start_(start),
          samples_(paths.samples()),
          groups_(std::min(spec.groups, samples_)),
          psi_(transposedProduct(start.directions, paths.state(start.state))) {
        for (const Size state : spec.states) {
            const Size units = paths.state(state).rows, parts = symmetric(psi_.rows);
            sums_.push_back({state, groups_, parts, &paths.state(state), Vector(units * parts * (groups_ + 1))});
            lowest_ = std::min(lowest_, state);
        }
    }

    /// Pairs (first + p, second + p), p < count, each counted `weight` times.
    void add(Size first, Size second, Size count, double weight) {
        const std::vector<Run> runs = runsOf(first, second, count);
        const Matrix weights = weightsOf(first, second, count, weight);
        const Vector& reads = start_.reads;
        PathOverlap b{reads.empty(), Matrix(std::max(reads.size(), Size{1}), count)};
        for (Size i = 0; i < b.values.rows; ++i) std::fill_n(b.values.row(i), count, reads.empty() ? 1 : reads[i]);
        for (Size l = start_.state;; --l) {
            for (Sums& sums : sums_)
                if (sums.state == l) addTo(sums, first, second, weights, b, runs);
            if (l == lowest_) return;
            paths_.pull(l - 1, first, second, count, b);
        }
    }

    MeasuredProfile profile(const Sums& sums, Size* rank) const {
        MeasuredProfile made;
        made.capacity = capacityOf(sums, groups_, rank);
        for (Size g = 0; g < groups_; ++g) made.leftOut.push_back(capacityOf(sums, g, nullptr));
        return made;
    }
    const std::vector<Sums>& sums() const { return sums_; }

private:
    Size groupOf(Size sample) const { return sample * groups_ / samples_; }

    std::vector<Run> runsOf(Size first, Size second, Size count) const {
        std::vector<Run> runs;
        for (Size p = 0; p < count; ++p) {
            const Size one = groupOf(first + p), other = groupOf(second + p);
            if (runs.empty() || runs.back().one != one || runs.back().other != other) runs.push_back({p, p, one, other});
            runs.back().to = p + 1;
        }
        return runs;
    }

    /// [r ≤ s][pair]: both orders of two different samples.
    Matrix weightsOf(Size first, Size second, Size count, double weight) const {
        Matrix w(symmetric(psi_.rows), count);
        Size part = 0;
        for (Size r = 0; r < psi_.rows; ++r)
            for (Size s = r; s < psi_.rows; ++s, ++part)
                for (Size p = 0; p < count; ++p) {
                    const double one = psi_(r, first + p) * psi_(s, second + p), other = psi_(s, first + p) * psi_(r, second + p);
                    w(part, p) = weight * (first == second ? one : one + other);
                }
        return w;
    }

    static void addTo(Sums& sums, Size first, Size second, const Matrix& weights, const PathOverlap& b, const std::vector<Run>& runs) {
        const Batch& y = *sums.y;
        Vector both(weights.columns);
        for (Size i = 0; i < y.rows; ++i) {
            const double *one = y.row(i) + first, *other = y.row(i) + second, *overlap = b.values.row(b.uniform ? 0 : i);
            for (Size p = 0; p < both.size(); ++p) both[p] = one[p] * other[p] * overlap[p];
            for (Size part = 0; part < sums.parts; ++part) {
                const double* w = weights.row(part);
                double* const to = sums.at(i, part);
                for (const Run& run : runs) {
                    const double sum = sumOfProducts(w + run.from, &both[run.from], run.to - run.from);
                    to[run.one] += sum;
                    if (run.other != run.one) to[run.other] += sum;
                    to[sums.groups] += sum;
                }
            }
        }
    }

    /// Without the pairs that touch a group; all pairs: group = groups_.
    Vector capacityOf(const Sums& sums, Size group, Size* rank) const {
        const Size k = psi_.rows, units = sums.y->rows;
        const auto gram = [&](Size unit, Size part) {
            const double* const at = sums.at(unit, part);
            return group == groups_ ? at[groups_] : at[groups_] - at[group];
        };
        Matrix total(k, k);
        Size part = 0;
        for (Size r = 0; r < k; ++r)
            for (Size s = r; s < k; ++s, ++part) {
                double sum = 0;
                for (Size i = 0; i < units; ++i) sum += gram(i, part);
                if (!std::isfinite(sum)) throw InputError("The sums over this network's paths are beyond any number.");
                total(r, s) = total(s, r) = sum;
            }
        const PseudoInverse inverse = pseudoInverse(total);
        if (rank) *rank = inverse.rank;
        Vector capacity(units, inverse.rank > 0 ? 0 : kNone);
        for (Size i = 0; i < units && inverse.rank > 0; ++i) {
            part = 0;
            for (Size r = 0; r < k; ++r)
                for (Size s = r; s < k; ++s, ++part) capacity[i] += (r == s ? 1 : 2) * inverse.inverse(r, s) * gram(i, part);
        }
        return capacity;
    }

    const GatedPaths& paths_;
    const PathStart& start_;
    Size samples_, groups_;
    Matrix psi_;  ///< [r][sample]
    std::vector<Sums> sums_;
    Size lowest_ = ~Size{0};
};

void require(const GatedPaths& paths, const PathStart& start, const MeasureSpec& spec) {
    if (paths.samples() < 3) throw InputError("Capacity is measured on pairs of at least three samples.");
    if (start.state > paths.network().layers.size() || start.directions.rows != paths.state(start.state).rows ||
        start.directions.columns == 0 || (!start.reads.empty() && start.reads.size() != start.directions.rows))
        throw InputError("The directions do not fit the state that they start in.");
    if (spec.groups < 2) throw InputError("At least two groups of samples are left out in turn.");
    if (spec.states.empty()) throw InputError("No state is named whose capacities are to be measured.");
    for (const Size state : spec.states)
        if (state > start.state) throw InputError("Capacity is measured at or below the state that it starts in.");
}

}  // namespace

Size startState(const Architecture& network) {
    Size state = network.layers.size();
    while (state > 0 && network.layers[state - 1].is<Dense, Conv, BatchNorm, AveragePool, GlobalAveragePool, Flatten, Route>())
        if (hasTrainableWeights(network.layers[--state])) break;
    return state;
}

PathStart startAtOutputs(const Network& network, const std::vector<Size>& outputs) {
    const Size units = network.output().units();
    PathStart start{startState(network), {}};
    Matrix maps(units, outputs.size()), connected(units, 1), below;
    for (Size k = 0; k < outputs.size(); ++k) {
        if (outputs[k] >= units) throw InputError("The network has " + std::to_string(units) + " outputs.");
        maps(outputs[k], k) = connected(outputs[k], 0) = 1;
    }
    for (Size l = network.layers.size(); l-- > start.state;) {
        Layer layer = network.layers[l];
        pullBatch(layer, Batch(layer.in.units(), outputs.size()), maps, below);
        std::swap(maps, below);
        if (auto* const own = layer.getIf<Weights>()) std::fill(own->weights.begin(), own->weights.end(), 1);
        pullBatch(layer, Batch(layer.in.units(), 1), connected, below);
        std::swap(connected, below);
    }
    const auto none = [](double x) { return x == 0; };
    if (std::all_of(maps.values.begin(), maps.values.end(), none))
        throw InputError("The weights of the outputs are all zero, so that no capacity starts there.");
    start.directions = pivotedBasis(maps);
    if (std::any_of(connected.values.begin(), connected.values.end(), none))
        for (const double x : connected.values) start.reads.push_back(x == 0 ? 0 : 1);
    return start;
}

MeasuredCapacity measureCapacity(const GatedPaths& paths, const PathStart& start, const MeasureSpec& spec,
                                 const std::function<void(double)>& tick) {
    require(paths, start, spec);
    const Size samples = paths.samples();
    MeasuredCapacity made;
    made.allPairs = halfPairs(static_cast<double>(samples));
    const std::vector<Size> offsets = offsetsOf(samples, spec);
    const auto countOf = [&](Size offset) { return 2 * offset == samples ? offset : samples; };
    for (const Size offset : offsets) made.pairs += static_cast<double>(countOf(offset));
    Measurement all(paths, start, spec);
    double done = 0;
    const auto addPairs = [&](Size offset, Size count, double weight) {
        for (Size first = 0; first < count;) {
            const Size second = (first + offset) % samples, size = std::min({kBlock, count - first, samples - second});
            all.add(first, second, size, weight);
            first += size;
            done += static_cast<double>(size);
            tick(done / (made.pairs + static_cast<double>(samples)));
        }
    };
    if (spec.diagonal) addPairs(0, samples, 1);
    for (const Size offset : offsets) addPairs(offset, countOf(offset), made.allPairs / made.pairs);
    for (const Sums& sums : all.sums()) made.profiles.push_back(all.profile(sums, made.profiles.empty() ? &made.rank : nullptr));
    return made;
}

MeasureCost measureCost(const Architecture& network, double samples, double directions, const MeasureSpec& spec) {
    const double pairs = std::min(halfPairs(samples), std::max(spec.mostPairs, samples)), parts = directions * (directions + 1) / 2;
    double measured = 0, units = static_cast<double>(network.input.units());
    for (const Size state : spec.states)
        measured += static_cast<double>(state == 0 ? network.input.units() : network.layers[state - 1].out.units());
    for (const Layer& layer : network.layers) units = std::max(units, static_cast<double>(layer.out.units()));
    const double groups = static_cast<double>(spec.groups) + 1;
    return {pairs * (0.3 * pullOperations(network.layers) + measured * (0.4 + 0.8 * parts)) + 4 * measured * parts * groups +
                0.15 * trainingStepOperations(network, static_cast<Size>(samples)),
            8 * (samples * (keptNumbers(network.layers) + units) + measured * groups * (parts + 1) + 4.0 * kBlock * units)};
}

double jackknifeError(const Vector& leftOut) {
    const double n = static_cast<double>(leftOut.size());
    double sum = 0, squares = 0;
    for (const double x : leftOut) sum += x;
    for (const double x : leftOut) squares += (x - sum / n) * (x - sum / n);
    return std::sqrt((n - 1) / n * squares);
}

Vector standardErrors(const MeasuredProfile& profile) {
    Vector errors, one(profile.leftOut.size());
    for (Size i = 0; i < profile.capacity.size(); ++i) {
        for (Size g = 0; g < one.size(); ++g) one[g] = profile.leftOut[g][i];
        errors.push_back(jackknifeError(one));
    }
    return errors;
}

namespace {

/// Σ of the squares of all entries of A·Aᵀ, in strips of rows from the diagonal on.
double squaresOfGram(const Matrix& a, const std::function<void()>& tick) {
    constexpr Size kFewest = 4, kMost = 32, kProducts = 10'000'000;  // a strip's, some milliseconds
    const Size rows = std::clamp(kProducts / std::max<Size>(a.values.size(), 1), kFewest, kMost);
    double squares = 0;
    Matrix strip;
    for (Size from = 0; from < a.rows; from += rows) {
        const Size count = std::min(rows, a.rows - from);
        strip = Matrix(count, a.rows - from);
        const MatrixView right(a.row(from), strip.columns, a.columns);
        orderedProduct(MatrixView(a.row(from), count, a.columns), right.transposed(), strip.values.data());
        for (Size i = 0; i < count; ++i)
            for (Size j = 0; j < strip.columns; ++j) squares += (j < count ? 1 : 2) * strip(i, j) * strip(i, j);
        tick();
    }
    return squares;
}

}  // namespace

GateStatistics gateStatistics(const Matrix& gates, bool numbersOnly, const std::function<void()>& tick) {
    const Size m = gates.rows, n = gates.columns;
    GateStatistics s;
    Matrix unit = gates;  // rows of norm 1
    Vector sums(n);
    double own = 0, joint = 0, together = 0;
    for (Size j = 0; j < m; ++j) {
        double sum = 0, squares = 0;
        for (Size t = 0; t < n; ++t) sum += gates(j, t), squares += gates(j, t) * gates(j, t);
        own += squares, joint += sum * sum;
        s.on += squares > 0;
        for (Size t = 0; t < n; ++t) sums[t] += unit(j, t) *= squares > 0 ? 1 / std::sqrt(squares) : 0;
    }
    for (const double sum : sums) together += sum * sum;
    s.overlap = (joint - own) / (own * static_cast<double>(n - 1));
    double squares = 0;
    if (numbersOnly) {
        if (n < m) unit = transposed(unit);
        squares = squaresOfGram(unit, tick);
    } else {
        s.coactivation = Matrix(m, m);
        orderedProduct(unit, MatrixView(unit).transposed(), s.coactivation.values.data());
        for (const double c : s.coactivation.values) squares += c * c;
    }
    const double on = static_cast<double>(s.on), pairs = on * (on - 1);
    s.nu = (together - on) / pairs;
    s.spread = std::sqrt(std::max(0.0, (squares - on) / pairs - s.nu * s.nu));
    if (s.on < 2) s.nu = s.spread = kNone;
    return s;
}

bool isDenseChain(const Architecture& network, Size top) {
    return std::all_of(network.layers.begin(), network.layers.begin() + static_cast<std::ptrdiff_t>(top),
                       [](const Layer& layer) { return layer.is<Dense, BatchNorm, Pointwise, Flatten>(); });
}

DenseChain denseChain(const GatedPaths& paths, Size top) {
    DenseChain chain;
    const Network& network = paths.network();
    if (!isDenseChain(network, top)) return chain;
    chain.states.push_back(paths.state(0));
    chain.stateOf.push_back(0);
    Matrix features, gates;  // of the layer that is being put together
    const auto close = [&](Size state) {
        if (gates.rows == 0) gates = Matrix(features.columns, paths.samples(), Vector(features.columns * paths.samples(), 1.0));
        chain.features.push_back(std::exchange(features, {}));
        chain.gates.push_back(std::exchange(gates, {}));
        chain.states.push_back(paths.state(state));
        chain.stateOf.push_back(state);
    };
    for (Size l = 0; l < top; ++l) {
        const Layer& layer = network.layers[l];
        if (layer.is<Flatten>()) continue;
        if (layer.is<Pointwise>()) {
            if (features.rows == 0) return {};
            if (gates.rows == 0) gates = Matrix(features.columns, paths.samples(), Vector(features.columns * paths.samples(), 1.0));
            for (Size i = 0; i < gates.values.size(); ++i) gates.values[i] *= paths.gates(l).values[i];
            continue;
        }
        if (gates.rows > 0) close(l);
        if (features.rows == 0) features = identityMatrix(layer.in.units());
        Layer linear = layer;
        linear.as<Weights>().bias.clear();
        if (auto* norm = linear.getIf<BatchNorm>()) std::fill(norm->mean.begin(), norm->mean.end(), 0);
        Matrix mapped;
        applyBatch(linear, transposed(features), mapped);
        features = transposed(mapped);
    }
    if (features.rows > 0) close(top);
    return chain;
}

namespace {

/// κ_i ∝ (Σ P A Pᵀ Σ)_ii of states y, where z = Pᵀ y: rows of R = E[y zᵀ] about A.
Vector allocated(const Matrix& y, const Matrix& z, const Matrix& a, bool diagonal, const std::function<void()>& tick) {
    constexpr Size kRows = 32;
    const double n = static_cast<double>(y.columns);
    Vector capacity(y.rows), own(y.columns);
    Matrix r(kRows, z.rows), ra(kRows, z.rows);
    if (!diagonal) {
        const Matrix az = product(a, z);
        for (Size j = 0; j < z.rows; ++j)
            for (Size s = 0; s < y.columns; ++s) own[s] += z(j, s) * az(j, s);
    }
    for (Size from = 0; from < y.rows; from += kRows) {
        const Size count = std::min(kRows, y.rows - from);
        orderedProduct(MatrixView(y.row(from), count, y.columns), MatrixView(z).transposed(), r.values.data());
        orderedProduct(MatrixView(r.values.data(), count, z.rows), a, ra.values.data());
        for (Size i = 0; i < count; ++i) {
            double& sum = capacity[from + i];
            for (Size j = 0; j < z.rows; ++j) sum += ra(i, j) * r(i, j) / (n * n);
            for (Size s = 0; s < y.columns && !diagonal; ++s) sum -= y(from + i, s) * y(from + i, s) * own[s] / (n * n);
        }
        tick();
    }
    const double sum = std::accumulate(capacity.begin(), capacity.end(), 0.0);
    for (double& share : capacity) share = sum > 0 ? share / sum : kNone;
    return capacity;
}

Matrix withTraceOne(Matrix a) {
    double trace = 0;
    for (Size i = 0; i < a.rows; ++i) trace += a(i, i);
    for (double& value : a.values) value /= trace > 0 ? trace : 1;
    return a;
}

}  // namespace

std::vector<Vector> channelCapacity(const DenseChain& chain, const Vector& direction, const std::vector<Matrix>& grams, bool diagonal,
                                    const std::function<void()>& tick) {
    const Size layers = chain.features.size();
    if (direction.size() != chain.states.back().rows || grams.size() != layers)
        throw InputError("Give one direction of the top state, and the gates' Gram matrix of each layer.");
    std::vector<Vector> capacity(layers + 1);
    const Matrix u(direction.size(), 1, direction);
    Matrix m = withTraceOne(product(u, transposed(u)));
    capacity[layers] = allocated(chain.states[layers], chain.states[layers], m, diagonal, tick);
    for (Size l = layers; l-- > 0;) {
        if (grams[l].rows != m.rows || grams[l].columns != m.rows) throw InputError("A Gram matrix has as many rows as its layer units.");
        const Matrix squares = product(grams[l], grams[l]);
        for (Size i = 0; i < m.values.size(); ++i) m.values[i] *= squares.values[i];
        capacity[l] = allocated(chain.states[l], transposedProduct(chain.features[l], chain.states[l]), m, diagonal, tick);
        if (l > 0) m = withTraceOne(congruence(transposed(chain.features[l]), m));
    }
    return capacity;
}

}  // namespace kappaflow
