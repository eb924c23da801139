#include "core/linear/constraints.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/linear/hierarchical_model.h"
#include "core/linear/linear_task.h"
#include "core/linear/subspace.h"
#include "support/linear_models.h"
#include "support/reference.h"
#include "support/sentence.h"

using namespace kappaflow;
using Size = std::size_t;
using Vector = std::vector<double>;

namespace {

InputCovariance powerLaws(Size components, Size n) { return predictionTask(componentExponents(components), n).covariance; }

/// ‖(1 − Q Qᵀ) A‖/‖A‖: nothing when A's columns lie in Q's span.
double outside(const Matrix& Q, const Matrix& A) {
    const auto inside = slowProduct(Q, slowProduct(transposed(Q), A));
    double rest = 0, all = 0;
    for (Size i = 0; i < A.values.size(); ++i) {
        rest += (A.values[i] - inside.values[i]) * (A.values[i] - inside.values[i]);
        all += A.values[i] * A.values[i];
    }
    return all > 0 ? std::sqrt(rest / all) : 0;
}

Matrix blockColumns(const Matrix& J, const WeightBlock& block) { return columnRange(J, block.first, block.count); }

/// K for a model of two components at the reference's weights.
void checkPositions(const nlohmann::json& expected, const InputCovariance& covariance, const Vector& w) {
    const HierarchicalModel model(dilatedTree(3, 2, 2, 2));
    const auto K = constraints(model, w, covariance);
    CHECK(K.rank == expected["kappa"].get<Size>());
    CHECK(model.exactRank() == K.rank);
    const auto perInput = capacityPerInput(K.basis);
    Vector perPosition;
    for (Size i = 0; i < perInput.size(); i += 2) perPosition.push_back(perInput[i] + perInput[i + 1]);
    CHECK(largestDifference(perPosition, expected["cpi_positions_oldest_first"].get<Vector>()) < 1e-10);
    for (double capacity : perPosition) CHECK((capacity >= 0 && capacity <= 2 + 1e-12));
}

}  // namespace

TEST_CASE("capacities by lag, frequency and covariance eigenvector are the reference's") {
    const auto reference04 = reference("case_04_hier_explicit.json");
    for (const auto& c : reference04["cases"]) {
        const HierarchicalModel model(shapeOf(c));
        const auto w = c["w"].get<Vector>();
        const InputCovariance covariance(c["autocov"].get<Vector>());
        const auto K = constraints(model, w, covariance);
        CHECK(K.rank == c["kappa"].get<Size>());
        CHECK(model.exactRank() == K.rank);
        CHECK(largestDifference(capacityPerInput(K.basis), c["cpi_oldest_first"].get<Vector>()) < 1e-10);
        CHECK(largestDifference(capacityPerFrequency(K.basis), c["cap_fourier"].get<Vector>()) < 1e-10);
        CHECK(largestDifference(capacityInBasis(K.basis, covarianceEigenvectors(covariance).vectors),
                                c["cap_cov_eigs_desc"].get<Vector>()) < 1e-10);
    }
}

TEST_CASE("with one channel the canonical Jacobian of a tree has the eigenvalues L, 1, 1, …") {
    const auto reference04 = reference("case_04_hier_explicit.json");
    for (const auto& c : reference04["cases"]) {
        const HierarchicalModel model(shapeOf(c));
        const auto values = singularSpace(sideBySide(model.canonicalJacobians(c["w"].get<Vector>()))).values;
        for (Size k = 0; k < values.size(); ++k) {
            const bool kept = k < c["kappa"].get<Size>();
            // The reference's other cases depend on its choice of basis only where responses overlap.
            if (isTensorTrain(model.shape()))
                CHECK(std::abs(values[k] * values[k] - (kept ? c["eigs_canon_JJt"][k].get<double>() : 0)) < 1e-12);
        }
    }
    for (const int layers : {2, 5, 8}) {
        const HierarchicalModel model(dilatedTree(layers, 2, 1));
        const auto values = singularSpace(sideBySide(model.canonicalJacobians(model.randomWeights(1)))).values;
        CHECK(values[0] * values[0] == doctest::Approx(layers));
        for (Size k = 1; k < model.exactRank(); ++k) CHECK(values[k] == doctest::Approx(1));
    }
}

TEST_CASE("at the reference's optima: losses, KᵀX, capacities, chains, layers alone and given the rest") {
    const auto reference06 = reference("case_06_hier_optimum.json");
    for (const auto& c : reference06["cases"]) {
        const HierarchicalModel model(dilatedTree(c["L"], c["n_l"], c["c"]));
        INFO("L = " << c["L"] << ", c = " << c["c"]);
        const auto w = c["w"].get<Vector>();
        const auto task = predictionTask(GaussianProcess{}, model.length());
        CHECK(task.lowerBound == doctest::Approx(c["vstar"].get<double>()).epsilon(1e-12));
        const auto A = model.response(w);
        CHECK(largestDifference(A, c["A_oldest_first"].get<Vector>()) < 1e-13);
        // The errors cancel to 1e-10 of the variance at c = 4: rounding of the weights shows.
        CHECK(taskLoss(task, A) == doctest::Approx(c["loss"].get<double>()).epsilon(1e-6));
        const auto K = constraints(model, w, task.covariance);
        CHECK(K.rank == c["kappa"].get<Size>());
        CHECK(optimality(K, task, A) < 2e-6);
        const double tolerance = 1e-7;
        CHECK(largestDifference(capacityPerInput(K.basis), c["cpi_oldest_first"].get<Vector>()) < tolerance);
        CHECK(largestDifference(capacityPerFrequency(K.basis), c["cap_fourier"].get<Vector>()) < tolerance);
        CHECK(largestDifference(capacityInBasis(K.basis, covarianceEigenvectors(task.covariance).vectors),
                                c["cap_cov_eigs_desc"].get<Vector>()) < tolerance);

        const auto blocks = layerConstraints(model, w, task.covariance);
        const auto forward = chainOf(blocks), backward = chainOf({blocks.rbegin(), blocks.rend()});
        for (Size l = 0; l < blocks.size(); ++l) {
            CAPTURE(l);
            CHECK(chainOf({blocks[l]})[0].rank == c["layer_independent_kappa"][l].get<Size>());
            CHECK(forward[l].rank == c["chain_forward"][l].get<Size>());
            CHECK(backward[l].rank == c["chain_backward"][l].get<Size>());
            auto rest = blocks;
            rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(l));
            CHECK(chainOf({sideBySide(rest), blocks[l]})[1].rank == c["marginal"][l].get<Size>());
            if (!c["chain_forward_cpi"].is_null())
                CHECK(largestDifference(forward[l].capacity, c["chain_forward_cpi"][l].get<Vector>()) < tolerance);
        }
    }
}

TEST_CASE("tangent and canonical columns span the Jacobian's columns, layer by layer and in all") {
    std::uint64_t seed = 10;
    for (const auto& shape : manyShapes()) {
        const HierarchicalModel model(shape);
        const auto w = model.randomWeights(++seed);
        INFO("shape " << seed);
        const auto J = model.jacobian(w), tangent = model.tangent(w);
        const auto span = spanBasis(J, 1e-10);
        CHECK(span.rank() == model.exactRank());
        CHECK(outside(span.basis, tangent) < 1e-9);
        CHECK(outside(spanBasis(tangent).basis, J) < 1e-9);
        CHECK(tangent.columns == tensorTrainDimension(shape));
        if (model.tangentIsOrthonormal())
            CHECK(largestDifference(slowProduct(transposed(tangent), tangent), identityMatrix(tangent.columns)) < 1e-13);
        const auto canonical = model.canonicalJacobians(w);
        for (Size l = 0; l < model.layers().size(); ++l) {
            const auto part = blockColumns(J, model.layers()[l]), &columns = canonical[l];
            CHECK(outside(spanBasis(part, 1e-10).basis, columns) < 1e-9);
            CHECK(outside(spanBasis(columns, 1e-10).basis, part) < 1e-9);
        }
    }
}

TEST_CASE("constraints are orth(Σ J), whatever scales and rotations the channels carry") {
    std::uint64_t seed = 30;
    for (const auto& shape : manyShapes()) {
        const HierarchicalModel model(shape);
        INFO("shape " << ++seed);
        const auto covariance = powerLaws(model.components(), model.length());
        auto w = model.randomWeights(seed);
        const auto K = constraints(model, w, covariance);
        const auto capacity = capacityPerInput(K.basis);
        CHECK(largestDifference(slowProduct(transposed(K.basis), K.basis), identityMatrix(K.rank)) < 1e-13);
        CHECK(largestDifference(capacity, capacityPerInput(slowConstraints(model, w, covariance))) < 1e-8);
        CHECK(sumOf(capacity) == doctest::Approx(static_cast<double>(K.rank)).epsilon(1e-12));
        // Every layer free, named one by one.
        std::vector<Size> all;
        for (Size l = 0; l < model.layers().size(); ++l) all.push_back(l);
        CHECK(largestDifference(capacityPerInput(constraints(model, w, covariance, all).basis), capacity) < 1e-10);
        // Each channel a million times weaker than the one before, and made up for above.
        for (Size l = 1; l < model.layers().size(); ++l)
            for (Size o = 0; o < static_cast<Size>(shape.channels[l]); ++o) {
                const double scale = std::pow(1e-6, static_cast<double>(o % 2));
                for (Size k = 0; k < static_cast<Size>(shape.taps[l - 1]); ++k)
                    for (Size i = 0; i < static_cast<Size>(shape.channels[l - 1]); ++i) w[model.weightIndex(l, k, o, i)] *= scale;
                for (Size k = 0; k < static_cast<Size>(shape.taps[l]); ++k)
                    for (Size q = 0; q < static_cast<Size>(shape.channels[l + 1]); ++q) w[model.weightIndex(l + 1, k, q, o)] /= scale;
            }
        const auto again = constraints(model, w, covariance);
        CHECK(again.rank == K.rank);
        CHECK(largestDifference(capacityPerInput(again.basis), capacity) < 1e-9);
    }
}

TEST_CASE("with two components, and with two features of one, capacities by position are the reference's") {
    const auto c = reference("case_08_multidim_features.json");
    const auto w = c["w"].get<Vector>();
    checkPositions(c, predictionTask(c["alphas"].get<Vector>(), 8).covariance, w);
    const auto& features = c["feature_map"];
    checkPositions(features, featureCovariance(FeatureFamily::Hermite, 2, autocovariance({.alpha = features["alpha"]}, 8)), w);
}

TEST_CASE("weights that are zero constrain what their neighbours can still do") {
    const HierarchicalModel model(dilatedTree(4, 2, 2));
    const auto covariance = powerLaw(16);
    CHECK(constraints(model, Vector(model.parameters()), covariance).rank == 0);
    CHECK(capacityPerInput(constraints(model, Vector(model.parameters()), covariance).basis) == Vector(16));
    for (Size l = 0; l < 4; ++l) {
        auto w = model.randomWeights(4);
        for (Size i = 0; i < model.layers()[l].count; ++i) w[model.layers()[l].first + i] = 0;
        const auto K = constraints(model, w, covariance);
        // Only the layer itself moves the response.
        CHECK(K.rank == spanBasis(model.jacobian(w)).rank());
        CHECK(K.rank == spanBasis(blockColumns(model.jacobian(w), model.layers()[l])).rank());
        CHECK(largestDifference(capacityPerInput(K.basis), capacityPerInput(slowConstraints(model, w, covariance))) < 1e-9);
    }
}

TEST_CASE("the spectrum has the constraints above its threshold and rounding below") {
    for (const bool raw : {false, true})
        for (const int channels : {1, 2, 4, 8}) {
            const HierarchicalModel model(dilatedTree(6, 2, channels));
            const auto spectrum = constraintSpectrum(model, model.randomWeights(2), powerLaw(64), raw);
            CHECK(spectrum.eigenvalues.size() == 64);
            CHECK(spectrum.rank == model.exactRank());
            CHECK(std::is_sorted(spectrum.eigenvalues.rbegin(), spectrum.eigenvalues.rend()));
            if (spectrum.rank == 64) CHECK(spectrum.threshold == 0);
            for (Size k = 0; k < 64; ++k) CHECK((spectrum.eigenvalues[k] > spectrum.threshold) == (k < spectrum.rank));
        }
    // As the paper computes them: eigenvalues of Σ J Jᵀ Σ.
    const HierarchicalModel model(dilatedTree(3, 2, 2));
    const auto w = model.randomWeights(1);
    const auto SJ = slowProduct(powerLaw(8).dense(), model.jacobian(w));
    auto expected = symmetricEigen(slowProduct(SJ, transposed(SJ))).values;
    std::reverse(expected.begin(), expected.end());
    CHECK(largestDifference(constraintSpectrum(model, w, powerLaw(8), true).eigenvalues, expected) < 1e-12);
}

TEST_CASE("the fully connected model constrains every input") {
    const FullModel model(5, 2);
    const auto w = model.randomWeights(3);
    CHECK(model.response(w) == w);
    CHECK(model.gradient(w, Vector(10, 1.0)) == Vector(10, 1.0));
    const auto K = constraints(model, w, powerLaws(2, 5));
    CHECK(capacityPerInput(K.basis) == Vector(10, 1.0));
    CHECK(model.exactRank() == 10);
    CHECK(isOneSentence(refusal([] { FullModel(0); })));
    CHECK(isOneSentence(refusal([] { FullModel(5000); })));
    CHECK(isOneSentence(refusal([] { FullModel(5, 1, 6); })));
}

TEST_CASE("a fully connected model of short reach has weights for the newest positions alone, and as many constraints") {
    const FullModel model(5, 2, 3);
    const auto w = model.randomWeights(3);
    CHECK(w.size() == 6);
    auto padded = w;
    padded.insert(padded.begin(), 4, 0.0);
    CHECK(model.response(w) == padded);
    CHECK(model.gradient(w, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) == Vector{4, 5, 6, 7, 8, 9});
    CHECK(slowProduct(model.jacobian(w), Matrix(6, 1, w)).values == padded);
    CHECK(model.exactRank() == 6);
    CHECK(constraints(model, w, powerLaws(2, 5)).rank == 6);
}

TEST_CASE("optimality is 0 at the target and where Σ(A − A*) is orthogonal to the tangent space, 1 inside the constraints") {
    const HierarchicalModel model(dilatedTree(3, 2, 1));
    const auto w = model.randomWeights(6);
    const auto A = model.response(w);
    auto task = predictionTask(GaussianProcess{}, 8);
    const auto K = constraints(model, w, task.covariance);
    CHECK(optimality(K, withTarget(task, A), A) == 0);
    auto inside = A, across = A;
    const auto wild = gaussianMatrix(8, 1, 3);
    const auto shadow = slowProduct(K.basis, slowProduct(transposed(K.basis), wild));
    for (Size i = 0; i < 8; ++i) inside[i] += K.basis(i, 1), across[i] += wild(i, 0) - shadow(i, 0);
    CHECK(optimality(K, withTarget(task, inside), A) == doctest::Approx(1));
    CHECK(optimality(K, withTarget(task, across), A) < 1e-13);
    const auto gradient = model.gradient(w, taskSlope(withTarget(task, across), A));
    for (double g : gradient) CHECK(std::abs(g) < 1e-13);
}

TEST_CASE("models and covariances that do not fit, layers that do not exist and weights that are no numbers are refused") {
    const HierarchicalModel model(dilatedTree(3, 2, 2));
    auto w = model.randomWeights(1);
    CHECK(isOneSentence(refusal([&] { constraints(model, w, powerLaw(9)); })));
    CHECK(isOneSentence(refusal([&] { constraints(model, w, powerLaws(2, 8)); })));
    CHECK(isOneSentence(refusal([&] { constraints(model, w, powerLaw(8), {3}); })));
    CHECK(isOneSentence(refusal([&] { layerConstraints(model, w, powerLaw(9)); })));
    w[0] = INFINITY;
    CHECK(isOneSentence(refusal([&] { constraints(model, w, powerLaw(8)); })));
    CHECK(isOneSentence(refusal([&] { constraintSpectrum(model, w, powerLaw(8)); })));
}
