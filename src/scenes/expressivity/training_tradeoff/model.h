#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/expressivity/trajectory_sweep.h"
#include "scenes/expressivity/model_digits.h"

namespace kappaflow::training_tradeoff {

/// Mean over arcs, with its standard error, layer after layer.
struct ArcMeans {
    std::vector<double> length, lengthError, transitions, transitionsError;
    std::vector<std::vector<double>> lengths;  ///< arc by arc, the same arcs at every step
};

/// What is known of one training step.
struct Snapshot {
    Evaluation learnt;
    double heldOut = 0;  ///< accuracy
    ArcMeans samples, random;
};

/// Steps that are looked at on the way to step `last`: none hangs on how far the run will go, so that a longer run has the shorter one's.
std::vector<std::uint64_t> lookedAt(std::uint64_t last);
/// The same of a run that diverged after step `end`: that is its last.
std::vector<std::uint64_t> lookedAtUntil(std::uint64_t last, std::uint64_t end);

/// A training run with its looks. The same run asked for more steps goes on from where it is.
class Run {
public:
    explicit Run(const Request&);
    /// Whether a request differs from this run in nothing but its steps; then it is taken over.
    bool continues(const Request&);
    /// Some milliseconds; false once everything is known.
    bool advance();
    double progress() const;

    std::size_t layers() const { return layers_; }
    std::size_t arcs() const { return arcs_; }
    /// Steps asked for that are known, ascending, and what is known of one.
    std::vector<std::uint64_t> known() const;
    const Snapshot& at(std::uint64_t step) const { return snapshots_.at(step); }
    /// Of the step that is shown, once all is done that a request with network asks for.
    const Network& network() const { return trainer_->network(); }
    /// A sentence when the training diverged on the way to the last step asked for, else "".
    std::string trouble() const { return last_ > diverged_ ? trouble_ : ""; }

private:
    /// A look that has begun: samples first, then arcs between samples, then between random points.
    struct Look {
        Look(const Network&, const Matrix& learnt, const Matrix& held);
        Snapshot made;
        std::unique_ptr<digit_training::SamplePass> pass;
        ArcLayers layers;
        std::size_t arc = 0;
        std::optional<ArcSampler> sampler;
        std::vector<ArcImages> images;
    };

    std::vector<std::uint64_t> wanted() const;
    std::uint64_t shown() const;
    void train(std::uint64_t to);
    void beginLook();
    bool advanceLook();
    void nameSamples();
    void beginArc();

    Request request_;
    std::size_t layers_, arcs_;
    std::uint64_t last_;
    TrainingData held_;
    std::unique_ptr<Trainer> trainer_;
    TrainingCheckpoint start_;
    std::map<std::uint64_t, Snapshot> snapshots_;
    std::unique_ptr<Look> look_;
    std::string trouble_;
    std::uint64_t diverged_ = ~std::uint64_t{0};  ///< step after which it did
};

Cost costOf(const Request&);
std::string costliestOf(const Request&);

/// Hidden layers whose lengths between samples rose by more than the standard error of their differences, arc by arc.
std::size_t risingLayers(const ArcMeans& before, const ArcMeans& after);

/// From the last layer's lengths after training over those before, between samples and between random points.
std::string lengthsInWords(double last, double lastRandom);

/// Of the steps looked at so far; none yet: a partial report without arrays.
Report reportOf(const Run&, bool finished);

}  // namespace kappaflow::training_tradeoff
