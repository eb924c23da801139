#include "core/linear/hierarchical_model.h"

#include <doctest/doctest.h>

#include "core/linalg/decompositions.h"
#include "core/linear/subspace.h"
#include "support/linear_models.h"
#include "support/reference.h"
#include "support/sentence.h"

using namespace kappaflow;
using Size = std::size_t;

namespace {

std::vector<int> block(const nlohmann::json& c) { return c["block"].get<std::vector<int>>(); }

/// Numerical rank of the free layers' columns of the Jacobian itself.
Size numericalFreeRank(const HierarchicalModel& model, const std::vector<Size>& free) {
    const auto J = model.jacobian(model.randomWeights(77));
    std::vector<Matrix> columns;
    for (Size l : free) columns.push_back(columnRange(J, model.layers()[l].first, model.layers()[l].count));
    return spanBasis(sideBySide(columns)).rank();
}

}  // namespace

TEST_CASE("trees have the reference's ranks in closed form, modulo 2³¹ − 1 and by singular values") {
    const auto reference05 = reference("case_05_generic_ranks.json");
    for (const auto& c : reference05["hierarchical"]) {
        const auto shape = dilatedTree(c["L"], c["n_l"], c["c"]);
        INFO("L = " << c["L"] << ", n_l = " << c["n_l"] << ", c = " << c["c"]);
        CHECK(receptiveField(shape) == c["n"].get<double>());
        CHECK(parameterCount(shape) == c["p"].get<double>());
        CHECK(tensorTrainDimension(shape) == c["kappa"].get<Size>());
        CHECK(genericRank(shape, {}, 1) == c["kappa"].get<Size>());
        const HierarchicalModel model(shape);
        CHECK(model.exactRank() == c["kappa"].get<Size>());
        CHECK(model.tangent(model.randomWeights(1)).columns == c["kappa"].get<Size>());
        if (c["n"] <= 64 && c["c"] <= 8) CHECK(spanBasis(model.jacobian(model.randomWeights(2))).rank() == c["kappa"].get<Size>());
    }
}

TEST_CASE("models of several components have the reference's ranks") {
    const auto reference05 = reference("case_05_generic_ranks.json");
    for (const char* list : {"multidim", "multidim_L6_formula"})
        for (const auto& c : reference05[list]) {
            const auto shape = dilatedTree(c["L"], c["n_l"], c["c"], c["d"]);
            INFO(list << ": d = " << c["d"] << ", L = " << c["L"] << ", c = " << c["c"]);
            CHECK(receptiveField(shape) * c["d"].get<double>() == c["N"].get<double>());
            CHECK(HierarchicalModel(shape).exactRank() == c["kappa"].get<Size>());
            if (c["N"] <= 256) CHECK(genericRank(shape, {}, 5) == c["kappa"].get<Size>());
        }
}

TEST_CASE("tiled and repeated stacks have the reference's ranks, exactly and numerically") {
    const auto reference05 = reference("case_05_generic_ranks.json");
    for (const auto& c : reference05["tiled_vs_repeated"])
        for (const bool tiled : {true, false}) {
            if (c["n"] > 100) continue;
            const auto shape = (tiled ? tiledStack : repeatedStack)(block(c), c["repeats"], 2, c["c"], 1);
            INFO(c["block"].dump() << " × " << c["repeats"] << ", c = " << c["c"] << (tiled ? ", tiled" : ", repeated"));
            const auto expected = c[tiled ? "kappa_tiled" : "kappa_repeated"].get<Size>();
            const HierarchicalModel model(shape);
            CHECK(model.exactRank() == expected);
            const auto K = constraints(model, model.randomWeights(4), powerLaw(model.length()));
            CHECK(K.rank == expected);
        }
}

TEST_CASE("stacks of 766 positions have the reference's ranks, exactly and numerically" * doctest::test_suite("long")) {
    const auto reference05 = reference("case_05_generic_ranks.json");
    const InputCovariance covariance = powerLaw(766);
    for (const auto& c : reference05["tiled_vs_repeated"])
        for (const bool tiled : {true, false}) {
            if (c["n"] != 766) continue;
            const HierarchicalModel model((tiled ? tiledStack : repeatedStack)(block(c), 3, 2, c["c"], 1));
            INFO("c = " << c["c"] << (tiled ? ", tiled" : ", repeated"));
            const auto expected = c[tiled ? "kappa_tiled" : "kappa_repeated"].get<Size>();
            CHECK(model.exactRank() == expected);
            const auto K = constraints(model, model.randomWeights(1), covariance);
            CHECK(K.rank == expected);
            CHECK(sumOf(capacityPerInput(K.basis)) == doctest::Approx(static_cast<double>(expected)).epsilon(1e-11));
        }
}

TEST_CASE("elimination of integer Jacobians has the rank that this one builds column by column") {
    // Small integers as weights: the Jacobian's entries are integers below 2⁵³.
    for (const auto& shape : {dilatedTree(4, 2, 2), tiledStack({1, 2, 4}, 2, 2, 2), repeatedStack({1, 2}, 2, 2, 2, 2)}) {
        const HierarchicalModel model(shape);
        Rng rng(9, Purpose::Data);
        std::vector<double> w(model.parameters());
        for (double& value : w) value = static_cast<double>(rng.below(41)) - 20;
        const auto J = model.jacobian(w);
        std::vector<std::uint32_t> residues;
        for (double value : J.values) {
            const auto p = static_cast<std::int64_t>(kModularPrime);
            residues.push_back(static_cast<std::uint32_t>(((static_cast<std::int64_t>(value) % p) + p) % p));
        }
        CHECK(modularRank(residues, J.rows, J.columns) == genericRank(shape, {}, 2));
    }
}

TEST_CASE("with some layers frozen the rank is that of the others' columns") {
    for (const int channels : {1, 2, 3}) {
        const HierarchicalModel model(dilatedTree(5, 2, channels));
        for (const auto& free : {std::vector<Size>{0}, {2}, {0, 4}, {1, 2, 3}, {0, 1, 2, 3, 4}}) {
            INFO("c = " << channels << ", " << free.size() << " layers free");
            CHECK(model.exactRank(free) == numericalFreeRank(model, free));
        }
    }
    const HierarchicalModel stack(tiledStack({1, 2, 4}, 2, 2, 2));
    for (const auto& free : {std::vector<Size>{0, 1}, {3}, {2, 5}}) CHECK(stack.exactRank(free) == numericalFreeRank(stack, free));
    CHECK(stack.exactRank(std::vector<Size>{}) == 0);
}

TEST_CASE("redundant layers of the reference leave the capacity whole when frozen, the others do not") {
    const auto reference18 = reference("case_18_redundancy.json");
    for (const auto& row : reference18["rows"]) {
        const HierarchicalModel model(dilatedTree(6, 2, row["c"]));
        const auto free = layersBut(row["frozen_layers"].get<std::vector<Size>>(), 6);
        INFO("c = " << row["c"] << ", frozen " << row["frozen_layers"].dump());
        CHECK(model.exactRank(free) == row["kappa_free"].get<Size>());
        CHECK((model.exactRank(free) == model.exactRank()) == row["equals_full_optimum"].get<bool>());
        const auto K = constraints(model, model.randomWeights(3), powerLaw(64), free);
        CHECK(K.rank == row["kappa_free"].get<Size>());
    }
    // At eight channels each layer alone can be spared, the two in the middle together cannot.
    const HierarchicalModel wide(dilatedTree(6, 2, 8));
    for (Size l = 1; l <= 6; ++l) CHECK(wide.exactRank(layersBut({l}, 6)) == 64);
    CHECK(wide.exactRank(layersBut({3, 4}, 6)) == 63);
}

TEST_CASE("channels beyond the bonds add nothing") {
    CHECK(bondDimensions(dilatedTree(6, 2, 256)) == std::vector<Size>{1, 2, 4, 8, 4, 2, 1});
    CHECK(bondDimensions(dilatedTree(4, 3, 2, 5)) == std::vector<Size>{5, 2, 2, 2, 1});
    for (const int channels : {8, 64, 256}) {
        CHECK(HierarchicalModel(dilatedTree(6, 2, channels)).exactRank() == 64);
        CHECK(genericRank(tiledStack({1, 2}, 2, 2, channels), {}, 1) == 7);
        // All layers but the first and last frozen, with nothing cut: 16 + 16 directions and one in common, or all 64.
        CHECK(HierarchicalModel(dilatedTree(6, 2, channels)).exactRank({0, 5}) == (channels == 8 ? 31 : 64));
    }
}

TEST_CASE("layers that do not exist and eliminations that would not end are refused") {
    CHECK(isOneSentence(refusal([] { genericRank(dilatedTree(3, 2, 1), {3}, 1); })));
    CHECK(isOneSentence(refusal([] { genericRank(HierarchicalShape{}, {}, 1); })));
    CHECK(isOneSentence(refusal([] { genericRecurrentRank(4, 2, {3}, 1); })));
    const auto endless = tiledStack({1, 2, 4, 8, 16, 32, 64, 128}, 3, 2, 64);
    CHECK(genericRankWork(endless, {}) > kMaxGenericRankWork);
    CHECK(isOneSentence(refusal([&] { genericRank(endless, {}, 1); })));
}
