#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scenes/expressivity/model_digits.h"

namespace kappaflow::remaining_depth {

/// Means over draws of an accuracy, epoch by epoch; draws that have diverged, or are not there yet, are left out.
class Accuracies {
public:
    Accuracies(std::size_t layers, std::size_t epochs)
        : epochs_(epochs), count_(layers * (epochs + 1)), sum_(count_.size()), squares_(count_.size()) {}
    void add(std::size_t layer, std::size_t epoch, double accuracy);
    /// NaN where there is none.
    double mean(std::size_t layer, std::size_t epoch) const;
    double standardError(std::size_t layer, std::size_t epoch) const;

private:
    std::size_t at(std::size_t layer, std::size_t epoch) const { return layer * (epochs_ + 1) + epoch; }
    std::size_t epochs_;
    std::vector<double> count_, sum_, squares_;
};

/// The trained layer with what lies behind it, as a network that begins at its input: the layers in front are frozen, so that what they
/// make of every sample is known once and for all.
struct TrainedLayer {
    std::unique_ptr<Trainer> trainer;
    TrainingData held;
};
/// Trains weight layer `layer` (0: the one at the input) of a network of dense layers with an activation behind all but the last, from what
/// the layers in front make of the samples.
TrainedLayer trainedLayer(const Network&, std::size_t layer, digit_training::Samples reaching, TrainingSpec);

/// All layers but the one at the input and the readout in turn, one epoch each, so that all curves grow together; draw after draw.
class Run {
public:
    explicit Run(const Request&);
    /// Some milliseconds; false when all is done.
    bool advance();
    double progress() const;

    std::size_t layers() const { return layers_; }  ///< trained ones
    std::size_t epochs() const { return epochs_; }
    /// Last epoch that every layer has reached in some draw.
    std::size_t reached() const { return draw_ > 0 ? epochs_ : epoch_; }
    std::size_t draws() const { return draw_; }
    double parameters() const;  ///< of a trained layer
    const Accuracies& train() const { return train_; }
    const Accuracies& test() const { return test_; }
    const std::vector<std::string>& troubles() const { return troubles_; }
    /// Of the first draw, with the second hidden layer trained, which has the most layers behind it, up to the epoch that is shown; null
    /// unless the request asks for it.
    std::shared_ptr<const Network> network() const { return saved_; }

private:
    void prepare();
    void beginLook(const TrainedLayer&);
    void finishLook();
    void save(std::size_t epoch);
    bool goOn();
    void turn();

    Request request_;
    digit_training::Samples samples_;
    std::size_t layers_, epochs_, allDraws_;
    std::size_t draw_ = 0, epoch_ = 0, layer_ = 0;  ///< draws that are through; epochs that all layers have; layer that is trained
    Network drawn_;
    std::vector<TrainedLayer> trained_;
    std::optional<digit_training::SamplePass> pass_;  ///< through a layer on the way to the next trained one, or of a look
    bool looked_ = false;                             ///< at the draw before training
    Accuracies train_, test_;
    std::vector<std::string> troubles_;
    std::shared_ptr<const Network> saved_;
};

Cost costOf(const Request&);
std::string costliestOf(const Request&);

/// Neighbours of which the lower, or the upper, ends with more named rightly, by more than a standard error of the difference of two means
/// over draws (of one draw none is known: then any difference counts); the others.
struct NeighbourOrder {
    std::size_t lower = 0, upper = 0, ties = 0;
};
NeighbourOrder orderOf(const Accuracies&, std::size_t layers, std::size_t epoch);
/// One sentence for both, which have the same number of pairs, one at the least.
std::string orderInWords(const NeighbourOrder& learnt, const NeighbourOrder& held, bool severalDraws);

Report reportOf(const Run&, bool finished);

}  // namespace kappaflow::remaining_depth
