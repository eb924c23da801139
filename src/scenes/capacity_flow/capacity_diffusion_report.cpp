#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/capacity/diffusion_theory.h"
#include "scenes/capacity_flow/capacity_diffusion_model.h"

namespace kappaflow::capacity_diffusion {

Theory theoryOf(const Chain& c, const Totals& totals) {
    const auto taps = c.drawn.tapsOf();
    const Size rows = c.units.size();
    Theory theory{std::vector<KernelDiffusion>(rows - 1), Vector(rows, 1), std::vector<PlaneNormal>(rows)};
    for (Size l = rows - 1; l > 0; --l) {
        auto shares = totals.kernelShares[l - 1];
        for (double& share : shares) share /= totals.capacity.count();
        const int layer = static_cast<int>(l);
        const auto step = kernelDiffusion(shares, taps, c.drawn.dilationOf(layer), c.drawn.mixes(), c.drawn.stay());
        const double stride = c.drawn.strideOf(layer), square = stride * stride, time = step.time;
        const PlaneNormal& above = theory.normal[l];
        theory.layers[l - 1] = step;
        theory.scale[l - 1] = stride * theory.scale[l];
        theory.normal[l - 1] = {stride * above.meanY + time * step.driftY, stride * above.meanX + time * step.drift,
                                square * above.varianceY + 2 * time * step.diffusionY, square * above.varianceX + 2 * time * step.diffusion,
                                square * above.covariance + 2 * time * step.diffusionYX};
    }
    return theory;
}

Vector gaussianRow(const Chain& c, const Theory& theory, Size l) {
    const auto& normal = theory.normal[l];
    const bool periodic = c.drawn.periodic();
    if (!c.plane) return diffused(c.start.profile, theory.scale[l], normal.meanX, normal.varianceX, c.widths[l], periodic);
    const PlaneProfile start{static_cast<int>(c.start.offsetY.size()), static_cast<int>(c.start.offset.size()), c.start.profile};
    return diffusedPlane(start, theory.scale[l], normal, c.heights[l], c.widths[l], periodic).values;
}

double gaussianWork(const Chain& c) {
    const auto& profile = c.start.profile;
    const auto starting = static_cast<double>(std::count_if(profile.begin(), profile.end(), [](double share) { return share > 0; }));
    const bool correlated = c.p.kernel == Kernel::Random;
    double work = 0;
    for (Size l = 0; l < c.widths.size(); ++l)
        work +=
            c.plane ? diffusedPlaneWork(c.heights[l], c.widths[l], c.drawn.periodic(), correlated) : 2.0 * c.widths[l] * (starting + 60);
    return work;
}

namespace {

/// y before x in a plane, x alone elsewhere.
void append(Vector& values, bool plane, double y, double x) {
    if (plane) values.push_back(y);
    values.push_back(x);
}

Vector over(Vector sums, double count) {
    for (double& sum : sums) sum /= count;
    return sums;
}

void addAxes(const Chain& c, Result& r) {
    r.layers = countUp(c.units.size());
    r.weightLayers = countUp(c.layers(), 1);
    if (c.plane)
        r.y = countUp(c.tallest), r.x = countUp(c.widest), r.sides = {"y", "x"};
    else
        r.positions = countUp(c.widest);
    const Size height = c.start.offsetY.size(), width = c.start.offset.size();
    if (height > 1 || (c.plane && !c.file))
        r.topY = countUp(height), r.topX = countUp(width);
    else
        r.topPositions = countUp(width);
}

void addChannels(const Chain& c, const Totals& t, Result& r) {
    for (Size l = 0; l < c.units.size(); ++l) r.channelCounts.push_back(static_cast<double>(c.channels(l)));
    const double most = *std::max_element(r.channelCounts.begin(), r.channelCounts.end());
    if (c.channel >= most)
        r.warnings.push_back("There is no channel " + std::to_string(c.channel) + ": the last is " + inWords(most - 1, 6) + ".");
    else if (t.channel.count() > 0)
        r.channelCapacity = t.channel.mean();
}

void addCapacity(const Chain& c, const Totals& t, Result& r) {
    r.capacity.values = t.capacity.mean();
    if (t.capacity.count() > 1) r.capacity.standardErrors = t.capacity.standardError();
    r.total = t.total.mean();
    r.unattributed = t.unattributed.mean();
    r.widths.assign(c.widths.begin(), c.widths.end());
    r.start = c.start.profile;
    if (!c.plane) return;
    r.heights.assign(c.heights.begin(), c.heights.end());
    addChannels(c, t, r);
}

/// Mean, variance and width of the offset from the top, and how far centres wander. Of the average profile: mean M and variance S − M².
void addMoments(const Totals& t, Result& r) {
    constexpr Size kMostCentres = 60;  // that a picture can show apart
    const bool plane = isPlane(r), ensemble = t.moments.size() > 1;
    EnsembleMean first, second, product, within, influence, mixedInfluence, squares;
    for (const auto& own : t.moments) {
        Vector variance(own.first.size());
        for (Size i = 0; i < variance.size(); ++i) variance[i] = std::max(0.0, own.second[i] - own.first[i] * own.first[i]);
        first.add(own.first), second.add(own.second), product.add(own.product), within.add(variance);
    }
    const Vector& M = first.mean();
    for (const auto& own : t.moments) {
        Vector part(M.size()), square(M.size()), mixed(own.product.size());
        for (Size i = 0; i < M.size(); ++i) {
            part[i] = own.second[i] - 2 * M[i] * own.first[i];
            square[i] = (own.first[i] - M[i]) * (own.first[i] - M[i]);
        }
        for (Size l = 0; l < mixed.size(); ++l)
            mixed[l] = own.product[l] - M[2 * l] * own.first[2 * l + 1] - M[2 * l + 1] * own.first[2 * l];
        influence.add(part), squares.add(square), mixedInfluence.add(mixed);
    }
    const auto errorOf = [&](const EnsembleMean& mean) { return ensemble ? mean.standardError() : Vector{}; };
    r.mean = {M, errorOf(first)};
    r.variance = {second.mean(), errorOf(influence)};
    r.deviation = {Vector(M.size()), r.variance.standardErrors};
    for (Size i = 0; i < M.size(); ++i) {
        double& variance = r.variance.values[i] = std::max(0.0, second.mean()[i] - M[i] * M[i]);
        const double deviation = r.deviation.values[i] = std::sqrt(variance);
        if (ensemble) r.deviation.standardErrors[i] = deviation > 0 ? r.variance.standardErrors[i] / (2 * deviation) : 0;
    }
    // At the input the sides stand first: y, x in a plane.
    const double n = static_cast<double>(t.moments.size()), unbiased = n / (n - 1);
    const auto atInput = [&](const Estimates& e, Size side) {
        return ensemble ? Estimate{e.values[side], e.standardErrors[side], n} : Estimate{e.values[side]};
    };
    r.spread = atInput(r.deviation, plane ? 1 : 0);
    if (plane) {
        r.spreadY = atInput(r.deviation, 0);
        r.covariance = {product.mean(), errorOf(mixedInfluence)};
        for (Size l = 0; l < r.layers.size(); ++l) r.covariance.values[l] -= M[2 * l] * M[2 * l + 1];
    }
    if (!ensemble) return;
    r.within = {within.mean(), within.standardError()};
    Estimates wander{squares.mean(), squares.standardError()};
    for (Size i = 0; i < M.size(); ++i) {
        const double deviation = std::sqrt(unbiased * wander.values[i]);
        wander.standardErrors[i] = deviation > 0 ? unbiased * wander.standardErrors[i] / (2 * deviation) : 0;
        wander.values[i] = deviation;
    }
    r.wander = atInput(wander, plane ? 1 : 0);
    if (plane) {
        r.wanderY = atInput(wander, 0);
        return;
    }
    r.networks = countUp(std::min(t.moments.size(), kMostCentres));
    for (Size k = 0; k < r.networks.size(); ++k) r.centres.insert(r.centres.end(), t.moments[k].first.begin(), t.moments[k].first.end());
    r.wanderByLayer = std::move(wander);
    r.deviationWithin = r.within;
    for (Size l = 0; l < r.layers.size(); ++l) {
        const double width = r.deviationWithin.values[l] = std::sqrt(r.within.values[l]);
        r.deviationWithin.standardErrors[l] = width > 0 ? r.within.standardErrors[l] / (2 * width) : 0;
    }
}

/// The shares of a filter's taps in the square around it, row by row; those of a row as they are.
Vector inSquare(const Vector& shares, const Chain& c) {
    if (!c.plane) return shares;
    const auto taps = c.drawn.tapsOf();
    const auto side = static_cast<Size>(c.p.taps);
    const int reach = (c.p.taps - 1) / 2;
    Vector square(side * side);
    for (Size k = 0; k < taps.size(); ++k)
        square[static_cast<Size>(taps[k].y + reach) * side + static_cast<Size>(taps[k].x + reach)] = shares[k];
    return square;
}

/// Mean and variance of the start along one axis; those of a plane's axes are independent.
Estimate startAlong(const Start& start, bool rows) {
    const auto width = start.offset.size();
    double mean = 0, second = 0;
    for (Size i = 0; i < start.profile.size(); ++i) {
        const double u = rows ? start.offsetY[i / width] : start.offset[i % width];
        mean += start.profile[i] * u;
        second += start.profile[i] * u * u;
    }
    return {mean, std::max(0.0, second - mean * mean)};
}

/// What the kernels predict.
void addTheory(const Chain& c, const Totals& t, Vector gaussian, Result& r) {
    const auto theory = theoryOf(c, t);
    const double each = 1 / static_cast<double>(c.layers());
    KernelDiffusion average{1};
    for (Size l = c.layers(); l-- > 0;) {
        const auto& step = theory.layers[l];
        average.drift += each * step.drift;
        average.diffusion += each * step.diffusion;
        average.driftY += each * step.driftY;
        average.diffusionY += each * step.diffusionY;
    }
    r.drift = average.drift, r.diffusion = average.diffusion;
    if (c.plane) r.driftY = average.driftY, r.diffusionY = average.diffusionY;
    auto& taps = c.plane ? r.tapsY : r.taps;
    taps = countUp(static_cast<Size>(c.drawn.taps), -(c.drawn.taps / 2));
    if (c.plane) r.tapsX = taps;
    for (Size l = 0; l < c.layers(); ++l) {
        const auto& step = theory.layers[l];
        append(r.driftByLayer, c.plane, step.time * step.driftY, step.time * step.drift);
        append(r.diffusionByLayer, c.plane, step.time * step.diffusionY, step.time * step.diffusion);
        // With the identity connection, which keeps everything where there is no other.
        Vector kernel = over(t.kernelShares[l], t.capacity.count());
        const double moving = std::accumulate(kernel.begin(), kernel.end(), 0.0);
        for (double& share : kernel) share *= step.time;
        if (c.drawn.mixes()) kernel[kernel.size() / 2] += moving > 0 ? 1 - step.time : 1;
        kernel = inSquare(kernel, c);
        r.kernelShares.insert(r.kernelShares.end(), kernel.begin(), kernel.end());
    }
    const auto [meanX, varianceX, x] = startAlong(c.start, false);
    const auto [meanY, varianceY, y] = startAlong(c.start, true);
    for (Size l = 0; l < c.units.size(); ++l) {
        const double scale = theory.scale[l];
        const auto& normal = theory.normal[l];
        append(r.meanPredicted, c.plane, scale * meanY + normal.meanY, scale * meanX + normal.meanX);
        append(r.variancePredicted, c.plane, scale * scale * varianceY + normal.varianceY, scale * scale * varianceX + normal.varianceX);
        if (c.plane) r.covariancePredicted.push_back(normal.covariance);
    }
    for (const double variance : r.variancePredicted) r.deviationPredicted.push_back(std::sqrt(variance));
    if (gaussian.empty()) return;
    r.totalVariation = totalVariation(c.rowOf(t.capacity.mean(), 0), c.rowOf(gaussian, 0));
    r.gaussian = std::move(gaussian);
}

/// Files in a plane: the straight line through the variance against layers crossed.
void addFit(const Chain& c, const Moments& moments, Result& r) {
    std::vector<Size> places;  // from the uppermost state in a plane down
    for (Size l = c.heights.size(); l > 0; --l)
        if (c.inputScale[l - 1] > 0 && c.heights[l - 1] > 1) places.push_back(l - 1);
    if (places.size() < 3) return;
    const double n = static_cast<double>(places.size()), crossed = (n - 1) / 2;
    r.deviationFitted.assign(2 * c.units.size(), std::numeric_limits<double>::quiet_NaN());
    for (Size side = 0; side < 2; ++side) {
        const auto inInput = [&](Size i) {
            const Size at = 2 * places[i] + side;
            const double variance = std::max(0.0, moments.second[at] - moments.first[at] * moments.first[at]);
            return variance * c.inputScale[places[i]] * c.inputScale[places[i]];
        };
        double mean = 0, rise = 0, run = 0;
        for (Size i = 0; i < places.size(); ++i) mean += inInput(i) / n;
        for (Size i = 0; i < places.size(); ++i) {
            const double d = static_cast<double>(i) - crossed;
            rise += d * (inInput(i) - mean);
            run += d * d;
        }
        (side == 0 ? r.fittedGrowthY : r.fittedGrowth) = rise / run;
        for (Size i = 0; i < places.size(); ++i) {
            const double variance = mean + rise / run * (static_cast<double>(i) - crossed);
            r.deviationFitted[2 * places[i] + side] = std::sqrt(std::max(0.0, variance)) / c.inputScale[places[i]];
        }
    }
}

void addGradient(const Chain& c, const Totals& t, Result& r) {
    if (t.gradient.count() == 0) return;
    r.gradient = {t.gradient.mean(), t.gradient.count() > 1 ? t.gradient.standardError() : t.gradientError};
    const auto measured = c.rowOf(t.gradient.mean(), 0);
    if (std::isnan(measured.front()))
        r.warnings.push_back("Every gradient vanished: none of the sampled inputs moves the chosen outputs.");
    else
        r.gradientTotalVariation = totalVariation(c.rowOf(t.capacity.mean(), 0), measured);
}

void addFlow(const Chain& c, const Totals& t, Result& r) {
    r.flowOffsets.push_back(0);
    for (const auto& edges : t.flow) {
        r.flowFrom.insert(r.flowFrom.end(), edges.from.begin(), edges.from.end());
        r.flowTo.insert(r.flowTo.end(), edges.to.begin(), edges.to.end());
        for (const double amount : edges.amount) r.flowAmount.push_back(amount / t.capacity.count());
        r.flowOffsets.push_back(static_cast<double>(r.flowFrom.size()));
    }
    r.edges = countUp(r.flowFrom.size());
    r.flowBinSize.assign(c.units.size(), t.binSize);
    if (!t.wantsShares) return;
    r.sharesOffsets.push_back(0);
    for (Size l = 0; l < t.shares.size(); ++l) {
        const Vector shares = over(t.shares[l], t.capacity.count());
        r.shares.insert(r.shares.end(), shares.begin(), shares.end());
        r.sharesOffsets.push_back(static_cast<double>(r.shares.size()));
        r.sharesRows.push_back(c.geometry[l].inWidth);
        r.sharesColumns.push_back(c.geometry[l].outWidth);
    }
    r.shareIndices = countUp(r.shares.size());
}

}  // namespace

Result resultOf(const Chain& c, const Totals& t, Vector gaussian) {
    Result r;
    addAxes(c, r);
    addCapacity(c, t, r);
    if (c.tracking != Tracking::None) addMoments(t, r);
    if (c.local()) addTheory(c, t, std::move(gaussian), r);
    if (c.file && c.plane) addFit(c, t.moments.front(), r);
    addGradient(c, t, r);
    r.parcels = t.parcels;
    r.parcelNumbers = countUp(parcelsOf(c));
    if (!c.plane) addFlow(c, t, r);
    for (Size l = r.unattributed.size() - 1; l > 0; --l)
        if (const double ended = r.unattributed[l - 1] - r.unattributed[l]; ended > 1e-12)
            r.warnings.push_back("Layer " + std::to_string(l) + " has units without weights: " + inWords(100 * ended) +
                                 " % of the capacity ends there, unattributed.");
    return r;
}

namespace {

std::string percent(double share) { return inWords(100 * share, 2) + " %"; }

/// "±4", in a plane "±4 rows and ±4.1 columns".
std::string plusMinus(bool plane, double y, double x) {
    if (!plane) return "±" + inWords(x);
    return "±" + inWords(y) + " rows and ±" + inWords(x) + " columns";
}

/// "The capacity of one output unit".
std::string subject(const Params& p, const Result& r) {
    const auto units = std::count_if(r.start.begin(), r.start.end(), [](double share) { return share > 0; });
    if (units == 1) return local(p) && p.channels > 1 ? "The capacity of one output position" : "The capacity of one output unit";
    return "The capacity of " + std::to_string(units) + " output " + (local(p) ? "positions" : "units");
}

std::string wanderSentences(const Params& p, const Result& r) {
    if (p.kernel != Kernel::Random || !r.wander || p.draws < 2) return "";
    const std::string start = " This is the average of " + counted(p.draws, "network");
    if (isPlane(r)) return start + ", whose centres wander by " + plusMinus(true, r.wanderY ? r.wanderY->value : 0, r.wander->value) + ".";
    std::string text = start + ": each is ±" + inWords(r.deviationWithin.values[0]) +
                       " wide about its own centre, and the centres wander by ±" + inWords(r.wander->value) + ".";
    // Is the mean of the centres 0, as v = 0 says?
    const double error = r.mean.standardErrors[0], centre = r.mean.values[0];
    if (!(error > 0)) return text;
    return text + " On average the centre is at " + inWords(centre, 2) + " ± " + inWords(error, 2) +
           (std::abs(centre) < 3 * error ? ": v = 0 holds on average, for no single network." : ", further from 0 than chance allows.");
}

std::string spreadSentences(const Params& p, const Result& r) {
    const bool plane = isPlane(r);
    const auto& predicted = r.deviationPredicted;
    const double meanY = plane ? r.mean.values[0] : 0, meanX = r.mean.values[plane ? 1 : 0];
    std::string text = subject(p, r) + " spreads over about " + plusMinus(plane, plane ? r.spreadY->value : 0, r.spread->value) +
                       (plane ? " (standard deviations)" : " positions (standard deviation)") + " on its way through " +
                       counted(static_cast<double>(r.weightLayers.size()), "layer") + "; the diffusion equation predicts " +
                       plusMinus(plane, predicted[0], predicted[plane ? 1 : 0]);
    if (r.totalVariation && *r.totalVariation < 1e-9) text += ", and the profile is its Gaussian";
    if (r.totalVariation && *r.totalVariation >= 1e-9)
        text += ", and " + percent(*r.totalVariation) + " of the capacity lies elsewhere than its Gaussian says";
    text += ".";
    if (drawsOf(p) == 1 && std::max(std::abs(meanY), std::abs(meanX)) > 0.05)
        text += plane ? " Its centre drifts by " + inWords(meanY) + " rows and " + inWords(meanX) + " columns."
                      : " Its centre drifts by " + inWords(meanX) + " positions.";
    return text + wanderSentences(p, r);
}

/// Dense networks and files: how many inputs hold the capacity, as if it were shared equally (e to the entropy), and which gets most.
std::string sharingSentences(const Params& p, const Result& r) {
    const bool plane = isPlane(r);
    const double total = r.total[0];
    if (!(total > 0)) return subject(p, r) + " reaches no input: every way down ends at units without weights.";
    const auto width = static_cast<Size>(r.widths[0]), height = plane ? static_cast<Size>(r.heights[0]) : 1, stride = r.x.size();
    double entropy = 0;
    Size mostY = 0, mostX = 0;
    for (Size y = 0; y < height; ++y)
        for (Size x = 0; x < width; ++x) {
            const double capacity = r.capacity.values[y * stride + x];
            if (capacity > 0) entropy -= capacity / total * std::log(capacity / total);
            if (capacity > r.capacity.values[mostY * stride + mostX]) mostY = y, mostX = x;
        }
    std::string text = subject(p, r) + " reaches the " +
                       (plane ? std::to_string(height) + " × " + std::to_string(width) + " positions of the input"
                              : counted(static_cast<double>(width), "input")) +
                       " through " + counted(static_cast<double>(r.weightLayers.size()), "layer") + " and is spread there as if " +
                       inWords(std::exp(entropy)) + " of them shared it equally; " +
                       (plane ? "row " + std::to_string(mostY) + ", column " + std::to_string(mostX) : "input " + std::to_string(mostX)) +
                       " gets most, " + percent(r.capacity.values[mostY * stride + mostX] / total) + ".";
    if (plane) text += " About its mean it extends over " + plusMinus(true, r.spreadY->value, r.spread->value) + " (standard deviations).";
    return text;
}

}  // namespace

std::string summary(const Params& p, const Result& r) {
    const std::string text = local(p) ? spreadSentences(p, r) : sharingSentences(p, r);
    if (r.gradientTotalVariation)
        return text + " The mean squared gradient lies at the input where the capacity does, up to " + percent(*r.gradientTotalVariation) +
               " of it.";
    const double lost = r.unattributed[0];
    return text + (lost > 1e-12 ? " Units without weights keep " + percent(lost) + " of it." : " Its total stays 1 in every layer.");
}

}  // namespace kappaflow::capacity_diffusion
