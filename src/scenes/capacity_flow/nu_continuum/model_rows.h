#pragma once
#include "scenes/capacity_flow/nu_continuum/model_family.h"

namespace kappaflow::continuum {

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

}  // namespace kappaflow::continuum
