#pragma once
#include <memory>
#include <vector>

#include "core/capacity/nu_continuum.h"
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

/// Zero of a function between two places where its signs differ, asked for value by value: regula falsi with the Illinois halving
/// (Dowell and Jarratt 1971), to 1e-13 of the function within a dozen values.
class ZeroBetween {
public:
    ZeroBetween(double a, double fa, double b, double fb) : a_(a), fa_(fa), b_(b), fb_(fb) {}
    double guess() const { return fa_ == fb_ ? b_ : (a_ * fb_ - b_ * fa_) / (fb_ - fa_); }
    /// The function's value at guess(); false when that is the zero.
    bool answer(double value);

private:
    double a_, fa_, b_, fb_;
    int side_ = 0, asked_ = 0;
};

/// Rows of a family over a grid of ν, from coarse to fine; then where half of the change is made; then what layers need of their own.
class Sweep {
public:
    Sweep(std::unique_ptr<Family>, std::size_t points);
    bool step();
    double progress() const;
    bool finished() const { return stage_ == Stage::Finished; }

    const std::vector<double>& nu() const { return nu_; }
    const Family& family() const { return *family_; }
    bool known(std::size_t i) const { return known_[i]; }
    const Row& row(std::size_t i) const { return rows_[i]; }
    bool rowsComplete() const { return stage_ != Stage::Rows; }
    /// Whether the total at ν = 1 is another one than below.
    bool jumps() const { return rows_.back().total != rows_[rows_.size() - 2].total; }
    /// Ends of the distribution (the upper one at ν = 0.999 where the total jumps) and the ν half-way; NaN when they are the same.
    /// Once rowsComplete().
    const Crossover& crossover() const { return crossover_; }
    double share(std::size_t i) const { return changedShare(rows_[i].capacity, crossover_); }

private:
    enum class Stage { Rows, Half, Layers, Finished };
    void beginRow();
    void beginHalf();
    void stepHalf();
    void beginLayers();
    void stepLayers();

    std::unique_ptr<Family> family_;
    std::vector<double> nu_;
    std::vector<std::size_t> order_;
    std::vector<Row> rows_;
    std::vector<bool> known_;
    Crossover crossover_;
    std::unique_ptr<ZeroBetween> zero_;
    Row trial_;
    Stage stage_ = Stage::Rows;
    std::size_t next_ = 0;
};

/// The sweep as far as it has come; what is not known yet is NaN.
Report reportOf(const Sweep&, const Values&);

}  // namespace kappaflow::continuum
