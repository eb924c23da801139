#include <doctest/doctest.h>

#include "core/moments/moment_propagation.h"
#include "support/moment_cases.h"

using namespace kappaflow;

namespace {

const char* const kExplicit[] = {
    "conv1d_bnff_n8_w4_k3",        "conv1d_bnres_n8_w4_k3_h2_u4", "conv1d_stem_bnff_n8to4", "conv1d_vanilla_n8_w4_k3",
    "conv2d_bnres_n4_w3_k3_h2_u3", "conv2d_vanilla_n4_w3_k3",     "fc_bnff_w8_d5_eps0",     "fc_bnff_w8_d5_eps1e-3",
    "fc_bnres_w6_h1_u4",           "fc_bnres_w6_h2_u4",           "fc_vanilla_few_points",  "fc_vanilla_w8_d5",
};
const char* const kSeeded[] = {"seeded_fc_N64_L50_vanilla", "seeded_fc_N64_L50_bn_ff", "seeded_fc_N64_L50_bn_res"};

using Named = std::vector<std::pair<std::string, double>>;

Named layerNumbers(const LayerMoments& m) {
    return {{"nu1", m.nu1},
            {"nu1_abs", m.nu1Absolute},
            {"nu2", m.nu2},
            {"nu4", m.nu4},
            {"mu1_abs", m.mu1Absolute},
            {"mu2", m.mu2},
            {"mu4", m.mu4},
            {"kurt", m.kurtosis()},
            {"mu2_d", std::exp(m.logMu2Noise)},
            {"log_nu2", m.logNu2},
            {"log_mu2", m.logMu2},
            {"log_mu2_d", m.logMu2Noise},
            {"chi_raw", std::exp(m.logChiRaw)},
            {"chi", m.chi()},
            {"mu2_over_nu2", m.varianceRatio()},
            {"reff", m.rankSignal},
            {"reff_d", m.rankNoise},
            {"dchi", m.deltaChi},
            {"dlog_nu2", m.deltaLogNu2},
            {"dlog_mu2_d", m.deltaLogMu2Noise},
            {"coactivation", m.coactivation},
            {"dchi_bn", m.deltaBatchNorm},
            {"dchi_phi", m.deltaActivation},
            {"mu2_z", m.mu2Normalised},
            {"mu4_z", m.mu4Normalised},
            {"nu1_abs_z", m.nu1AbsoluteNormalised},
            {"mu2_y", m.mu2Normalised},
            {"mu4_y", m.mu4Normalised},
            {"nu1_abs_y", m.nu1AbsoluteNormalised},
            {"chi_z", std::exp(m.logChiNormalised)},
            {"dchi_thm2", m.theorem},
            {"dchi_bn_thm3", m.batchNormTheorem},
            {"dchi_phi_thm3", m.activationTheorem},
            {"mu2_branch", m.mu2Branch},
            {"dchi_dilution_pred", m.theorem}};
}

Named innerNumbers(const InnerMoments& m) {
    return {{"chi_h", m.chi},
            {"dchi", m.deltaChi},
            {"dchi_bn", m.deltaBatchNorm},
            {"dchi_phi", m.deltaActivation},
            {"dchi_phi_only", m.deltaActivationOnly},
            {"mu4_z", m.mu4},
            {"mu2_z", m.mu2Normalised},
            {"nu1_abs_z", m.nu1Absolute},
            {"mu2_x", m.mu2X},
            {"mu2_y", m.mu2Y},
            {"mu2_dy", std::exp(m.logMu2Dy)},
            {"dchi_bn_thm3", m.batchNormTheorem},
            {"dchi_phi_thm3", m.activationTheorem},
            {"reff_x", m.rankSignal},
            {"reff_dx", m.rankNoise}};
}

/// How many of the reference's numbers were found and agree.
std::size_t compare(const nlohmann::json& expected, const Named& own, double relative) {
    std::size_t found = 0;
    for (const auto& pair : own) {
        const std::string name = pair.first;  // a structured binding cannot be captured everywhere
        const double value = pair.second;
        if (!expected.contains(name)) continue;
        CAPTURE(name);
        const double wanted = expected[name].get<double>();
        CHECK(std::abs(value - wanted) <= relative * std::abs(wanted) + (relative < 1e-9 ? 1e-13 : 1e-12));
        ++found;
    }
    return found;
}

/// Numbers that the reference lists for a layer, but for its index, χ of the pre-activations, which `compare` leaves to the tensors, and
/// what nothing here has: uncentred ranks, and what skip and branch share.
std::size_t listed(const nlohmann::json& layer) {
    std::size_t count = layer.size();
    for (const char* other : {"l", "h", "inner", "chi_y", "reff_d_uncentered", "dilution", "cross_sig", "cross_noise"})
        count -= layer.contains(other);
    return count;
}

void compareLayers(const MomentPropagation& run, const nlohmann::json& expected, double relative) {
    REQUIRE(run.layers().size() == expected["layers"].size() + 1);
    CHECK(compare(expected["input"], layerNumbers(run.layers()[0]), relative) == listed(expected["input"]));
    for (std::size_t l = 1; l < run.layers().size(); ++l) {
        CAPTURE(l);
        const nlohmann::json& layer = expected["layers"][l - 1];
        CHECK(compare(layer, layerNumbers(run.layers()[l]), relative) == listed(layer));
        if (!layer.contains("inner")) continue;
        REQUIRE(run.layers()[l].inner.size() == layer["inner"].size());
        for (std::size_t h = 0; h < layer["inner"].size(); ++h) {
            CAPTURE(h);
            CHECK(compare(layer["inner"][h], innerNumbers(run.layers()[l].inner[h]), relative) == listed(layer["inner"][h]));
        }
    }
}

/// Largest difference from listed numbers over their largest size.
double distance(const std::vector<double>& own, const std::vector<double>& wanted, double factor) {
    REQUIRE(own.size() == wanted.size());
    double most = 0, size = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
        most = std::max(most, std::abs(own[i] * factor - wanted[i]));
        size = std::max(size, std::abs(wanted[i]));
    }
    return most / size;
}

double sumOf(const std::vector<double>& values, bool absolute) {
    double sum = 0;
    for (const double value : values) sum += absolute ? std::abs(value) : value;
    return sum;
}

}  // namespace

TEST_CASE("moments: every explicit network has the reference's numbers and tensors to 1e-10") {
    for (const std::string name : kExplicit) {
        CAPTURE(name);
        const auto listed = reference("moments_" + name + ".json");
        const MomentCase c = explicitMomentCase(listed);
        MomentPropagation run = c.propagation();
        const auto& tensors = listed["expected"]["tensors"];
        for (std::size_t l = 0;; ++l) {
            CAPTURE(l);
            const SignalAndNoise& state = run.state();
            CHECK(distance(state.signal.values.values, tensors[l]["x"], 1) < 1e-10);
            CHECK(distance(state.noise.values.values, tensors[l]["dx"], std::exp(state.logScale)) < 1e-10);
            if (l == c.net.layers) break;
            for (std::size_t h = 0; h < c.net.innerLayers(); ++h) REQUIRE(run.advance());
        }
        CHECK_FALSE(run.advance());
        CHECK(run.collapsed().empty());
        compareLayers(run, listed["expected"], 1e-10);
    }
}

TEST_CASE("moments: networks drawn from the reference's stream have its numbers to 1e-8, fifty layers deep") {
    for (const std::string name : kSeeded) {
        CAPTURE(name);
        const auto listed = reference("moments_" + name + ".json");
        const MomentCase c = seededMomentCase(listed);
        MomentPropagation run = c.propagation();
        while (run.advance()) continue;
        compareLayers(run, listed["expected"], 1e-8);
        const auto& checksum = listed["expected"]["final_checksum"];
        CHECK(sumOf(run.state().signal.values.values, false) == doctest::Approx(checksum["sum_x"].get<double>()).epsilon(1e-8));
        CHECK(sumOf(run.state().noise.values.values, true) * std::exp(run.state().logScale) ==
              doctest::Approx(checksum["sum_abs_dx"].get<double>()).epsilon(1e-8));
    }
}
