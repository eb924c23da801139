#pragma once
#include <memory>
#include <vector>

#include "core/capacity/continuum_ring.h"
#include "core/capacity/nu_continuum.h"
#include "core/capacity/path_tree.h"
#include "scene/scene.h"

namespace kappaflow::continuum {

/// What is known of a network at one ν.
struct Row {
    std::vector<double> capacity;             ///< [input]
    double total = 0;                         ///< a rank
    double variance = 0;                      ///< of the offset from the top unit (rings)
    std::vector<std::vector<double>> layers;  ///< [layer 0 … L][unit]; empty where not defined or not yet asked
};

/// One network whose ν can be turned. begin() takes a ν, step() and then, where layersApart(), stepLayers() work on its row slice by
/// slice, a few milliseconds each, and return false when there is no more.
class Family {
public:
    virtual ~Family() = default;
    void begin(double nu) {
        nu_ = nu;
        slice_ = 0;
        restart();
    }
    virtual bool step(Row&) = 0;
    virtual bool layersApart() const { return false; }
    virtual bool stepLayers(Row&) { return false; }

    /// Number of the first input: −(n/2) where inputs are offsets from the top unit.
    virtual double firstInput() const { return 0; }
    /// κ at ν = 0 for independent inputs, D_1 ⋯ D_L κ^φ (P1 Eqs 25, 28), and at ν = 1, squared rows of orth(Σ P_1 ⋯ P_L U) (P1 2.4;
    /// P2 Eqs 4–5), each by a way of its own that shares nothing with the rows; empty where there is none.
    virtual std::vector<double> diffused() const { return {}; }
    virtual std::vector<double> linear() const { return {}; }
    /// p_ij u_j, [input][feature] (empty unless one layer and one direction): what adds up at ν = 1, and in squares at ν = 0.
    virtual Matrix amplitudes() const { return {}; }

protected:
    virtual void restart() {}
    double nu_ = 0;
    std::size_t slice_ = 0;
};

std::unique_ptr<Family> denseFamily(ContinuumNetwork);
std::unique_ptr<Family> ringFamily(ContinuumRing);
std::unique_ptr<Family> treeFamily(PathTree);

/// The network a request describes; the latter two give the parts its cost depends on.
std::unique_ptr<Family> familyOf(const Values&);
ContinuumRing ringOf(const Values&);
PathTree treeOf(const Values&);

/// ν from 0 to 1: even steps of an asinh scale (even below 0.05, equal ratios above) from 0 to 0.999, rounded to 1e-4, then 1, which
/// is no limit of the others where the total jumps.
std::vector<double> nuGrid(std::size_t points);
/// 0, the last, the middle, the quarters …: every prefix is a coarse grid.
std::vector<std::size_t> coarseToFine(std::size_t points);

}  // namespace kappaflow::continuum
