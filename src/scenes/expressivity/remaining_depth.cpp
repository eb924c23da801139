#include "scenes/expressivity/remaining_depth.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scenes/expressivity/digits_model.h"

namespace kappaflow {
namespace remaining_depth {

using namespace digit_training;
using Size = std::size_t;

NeighbourOrder orderOf(const Estimates& accuracies, Size layers, Size epochs, Size epoch) {
    NeighbourOrder order;
    const auto& [means, errors] = accuracies;
    for (Size at = epoch; at + epochs < layers * epochs; at += epochs) {
        const double gain = means[at] - means[at + epochs], error = std::hypot(errors[at], errors[at + epochs]);
        ++(gain > error ? order.lower : gain < -error ? order.upper : order.ties);
    }
    return order;
}

std::string orderInWords(const NeighbourOrder& learnt, const NeighbourOrder& held, bool severalDraws) {
    const Size pairs = learnt.lower + learnt.upper + learnt.ties;
    const std::string all = pairs == 1 ? "Of the two the lower" : "Of " + std::to_string(pairs) + " pairs of neighbours the lower";
    if (learnt.lower == pairs && held.lower == pairs)
        return all + " one always does better, on the samples learnt from and on those held out: the survey's order throughout.";
    const std::string others = learnt.ties + held.ties == 0 ? "."
                               : severalDraws               ? "; the others differ by no more than a standard error."
                                                            : "; the others are equal.";
    return all + " one does better in " + std::to_string(learnt.lower) + " on the samples learnt from and in " +
           std::to_string(held.lower) + " on those held out, the upper one in " + std::to_string(learnt.upper) + " and " +
           std::to_string(held.upper) + others;
}

namespace {

using namespace table;

constexpr const char* kFigure = "P4 Fig 6";

constexpr ParamRow kParams[] = {
    dataRow<&Params::data>(kFigure),
    whole<&Params::width>("width", "k", "width", {4, 200}, "Units of every hidden layer.", kFigure) | logarithmic | costly,
    whole<&Params::layers>("layers", "n", "layers", {2, 12},
                           "Hidden layers; the weights W^(1) … W^(n−1) between them are trained in turn, each in a network of its own.",
                           kFigure) |
        costly,
    whole<&Params::epochs>("epochs", "", "epochs", {1, 500}, "How often every sample is seen.", kFigure) | logarithmic | costly,
    whole<&Params::draws>("draws", "", "draws", {1, 20}, "Networks and orders of the samples whose mean is shown.", kFigure) | logarithmic |
        costly,
    weightVarianceRow<&Params::weightVariance>(
        "Weights are drawn from N(0, σ_w²/k): 2 in the survey's figure on digits, 1 in that on photographs.", kFigure),
    rateRow<&Params::learningRate>(kFigure) | more,
    samplesRow<&Params::samples>(kFigure),
    batchRow<&Params::batch>(kFigure),
    biasVarianceRow<&Params::biasVariance>(kFigure),
    seed<&Params::seed>("Start of the random numbers of weights, samples and their order.", kFigure),
    shownAt<&Params::at>("", "epoch", 500, "The epoch whose accuracies stand out; the last one reached beyond it.", kFigure),
    plays<&Params::play>("Whether the epochs pass by themselves.", kFigure),
    whole<&Params::layer>("layer", "l", "trained layer looked at", {1, 11},
                          "The trained layer whose curve stands out and whose accuracies are written; the last beyond it.", kFigure) |
        hidden | ofView};

constexpr AxisRow kLayer = axis<&Result::trainedLayers>("trainedLayer"), kEpoch = axis<&Result::epochs>("epoch");

constexpr FieldRow kFields[] = {
    measured<&Result::train>(
        "trainAccuracy", "", {kLayer, kEpoch},
        "Share of the samples learnt from that are named rightly when W^(l) of this l alone is trained, mean over draws.") |
        gaps,
    measured<&Result::test>("testAccuracy", "", {kLayer, kEpoch}, "The same of the samples held out.") | gaps,
    measured<&Result::remainingDepth>("remainingDepth", "", {kLayer}, "Hidden layers behind that of the trained weights."),
    measured<&Result::draws>("draws", "", {}, "Networks behind every mean by now."),
    measured<&Result::inversionsTrain>(
        "inversionsTrain", "", {},
        "Neighbours of which the upper ends with more of the samples learnt from named rightly, beyond an error."),
    measured<&Result::inversionsTest>("inversionsTest", "", {}, "The same of the samples held out."),
    measured<&Result::parameters>("parameters", "", {}, "Weights and biases that are trained: the same for all layers.")};

constexpr PresetRow kPresets[] = {
    {"Lower layers count for more (Fig 6)"},
    preset<[](Params& p) { p.layers = 8, p.epochs = 16, p.draws = 1; }>(
        "Eight layers",
        "Seven layers can be trained alone: on the samples learnt from each does better than the one above it, from 60 % down to 38 %."),
    preset<[](Params& p) { p.weightVariance = 1; }>(
        "Smaller weights: σ_w² = 1",
        "With weights of variance 1 all layers learn less, and the order stays: 54 % for the lowest, 40 % for the highest."),
    preset<[](Params& p) { p.weightVariance = 4; }>(
        "Larger weights: σ_w² = 4",
        "With weights of variance 4 the order stays on the samples learnt from, 67 % to 52 %; on those held out it does not hold."),
    preset<[](Params& p) { p.layers = 6, p.epochs = 25, p.draws = 3, p.play = true; }>(
        "Five layers, each trained alone",
        "In each network only the lit layer learns: with four layers behind it 67 % of its samples, with none behind it 49 %.")};

Cost cost(const Opened<Params>& opened) {
    const Params& p = opened.params;
    const SampleSizes sizes = sizesOf(opened.points.get(), p.samples);
    const Architecture network = hardTanhArchitecture(p.layers, p.width, sizes.inputs, sizes.classes);
    const double batch = std::min(1.0 * p.batch, sizes.samples), all = sizes.samples + sizes.held, trained = p.layers - 1;
    double draw = all * lookOperations(network.layers);
    for (Size l = 1; l < network.layers.size() / 2; ++l) {
        const auto behind = std::span<const Layer>(network.layers).subspan(2 * l);
        draw += p.epochs * (std::ceil(sizes.samples / batch) * lowestStepOperations(behind, batch) + all * lookOperations(behind));
    }
    const double reaching = 1.3 * (p.width + 2 * sizes.classes) * all + 5 * parametersOf(network.layers);
    return {1e4 * all + p.draws * draw + 1e6,
            8 * (2.1 * sizes.inputs * all + trained * reaching + 4 * unitsOf(network.layers) * (batch + 256) + 3 * p.width * all +
                 trained * 8 * p.epochs) +
                2e6};
}

/// An accuracy's mean over draws, [layer][epoch]; draws that have diverged, or are not there yet, are left out.
struct Mean {
    std::vector<double> count, sum, squares;
    explicit Mean(Size cells) : count(cells), sum(cells), squares(cells) {}
    void add(Size cell, double accuracy) {
        ++count[cell];
        sum[cell] += accuracy;
        squares[cell] += accuracy * accuracy;
    }
    Estimates estimates() const {
        Estimates all;
        for (Size i = 0; i < count.size(); ++i) {
            const double n = count[i], mean = n > 0 ? sum[i] / n : std::numeric_limits<double>::quiet_NaN();
            all.values.push_back(mean);
            all.standardErrors.push_back(n < 2 ? 0 : std::sqrt(std::max(squares[i] / n - mean * mean, 0.0) / (n - 1)));
        }
        return all;
    }
};

/// All layers but the one at the input and the readout in turn, an epoch each, so that all curves grow together; draw after draw.
Result run(const Opened<Params>& opened, Progress& progress) {
    const Params& p = opened.params;
    const Samples samples = makeSamples(opened.points.get(), p.samples, p.seed, 1, [&] { progress.tick(0); });
    const auto layers = static_cast<Size>(p.layers) - 1, epochs = static_cast<Size>(p.epochs), draws = static_cast<Size>(p.draws);
    Result r;
    r.trainedLayers = countUp(layers, 1);
    r.epochs = countUp(epochs + 1);
    for (Size l = layers; l-- > 0;) r.remainingDepth.push_back(static_cast<double>(l));
    r.parameters = p.width * (p.width + 1.0);
    Mean train(layers * r.epochs.size()), test(train);
    const auto sofar = [&] {
        Result now = r;
        now.train = train.estimates();
        now.test = test.estimates();
        now.inversionsTrain = static_cast<double>(orderOf(now.train, layers, r.epochs.size(), r.reached).upper);
        now.inversionsTest = static_cast<double>(orderOf(now.test, layers, r.epochs.size(), r.reached).upper);
        return now;
    };
    const Architecture architecture =
        hardTanhArchitecture(p.layers, p.width, static_cast<double>(samples.inputs()), static_cast<double>(samples.classes()));
    double done = 0;  // epochs of all layers
    const auto tick = [&] { progress.tick(0.99 * done / static_cast<double>(draws * epochs * layers)); };
    const auto accuracies = [&](const Trainer& trainer, const Matrix& held) {
        const auto& network = trainer.network().layers;
        return std::pair(accuracyOf(Loss::CrossEntropy, passThrough(network, trainer.data().inputs, tick), samples.train.targets),
                         accuracyOf(Loss::CrossEntropy, passThrough(network, held, tick), samples.held.targets));
    };
    for (Size draw = 0; draw < draws; ++draw) {
        TrainingSpec spec;
        spec.optimiser.kind = Optimiser::Momentum;
        spec.optimiser.learningRate = p.learningRate;
        spec.batch = static_cast<Size>(p.batch);
        spec.seed = p.seed + (std::uint64_t{draw} << 32);
        const Network drawn = drawnNetwork(architecture, p.weightVariance, p.biasVariance, spec.seed, tick);
        const auto save = [&](const Trainer& lowest, Size epoch) {
            if (!opened.withNetwork || draw > 0 || static_cast<double>(epoch) > std::round(p.at)) return;
            Network network = drawn;
            const auto& trained = lowest.network().layers;
            std::copy(trained.begin(), trained.end(), network.layers.begin() + 2);
            r.network = std::make_shared<Network>(std::move(network));
        };
        std::vector<Trainer> trainers;
        std::vector<Matrix> held;  // what reaches each trained layer
        for (Size l = 0; l < layers; ++l) {
            const auto front = std::span<const Layer>(drawn.layers).subspan(2 * l, 2);
            Matrix learnt = passThrough(front, l == 0 ? samples.train.inputs : trainers.back().data().inputs, tick);
            held.push_back(passThrough(front, l == 0 ? samples.held.inputs : held.back(), tick));
            trainers.push_back(layerTrainer(drawn, l + 1, {std::move(learnt), samples.train.targets}, spec));
        }
        // Before training all are the same network: the shortest rest tells what every one of them does.
        const auto before = accuracies(trainers.back(), held.back());
        for (Size l = 0; l < layers; ++l) train.add(l * r.epochs.size(), before.first), test.add(l * r.epochs.size(), before.second);
        save(trainers[0], 0);
        for (Size epoch = 1; epoch <= epochs; ++epoch) {
            for (Size l = 0; l < layers; ++l, ++done) {
                Trainer& trainer = trainers[l];
                if (!trainer.trouble().empty()) continue;
                while (trainer.steps() < epoch * trainer.stepsAnEpoch() && trainer.step()) tick();
                if (!trainer.trouble().empty()) {
                    r.warnings.push_back("W^(" + std::to_string(l + 1) + "): " + trainer.trouble());
                    continue;
                }
                const auto after = accuracies(trainer, held[l]);
                train.add(l * r.epochs.size() + epoch, after.first);
                test.add(l * r.epochs.size() + epoch, after.second);
                if (l == 0) save(trainer, epoch);
                progress.partial(sofar);
            }
            r.reached = std::max(r.reached, epoch);
        }
        r.draws = static_cast<double>(draw + 1);
    }
    return sofar();
}

std::string percent(double share) { return inWords(100 * share) + " %"; }

std::string summary(const Params&, const Result& r) {
    const Size epochs = r.epochs.size(), layers = r.trainedLayers.size(), top = (layers - 1) * epochs + r.reached;
    const auto &train = r.train.values, &test = r.test.values;
    if (!std::isfinite(test[r.reached]) || !std::isfinite(test[top]))
        return "Training diverged in every draw of some layer; a lower learning rate avoids that.";
    const std::string begin = "After " + counted(static_cast<double>(r.reached), "epoch") + ", training W^(1) alone names " +
                              percent(train[r.reached]) + " of the samples learnt from and " + percent(test[r.reached]) +
                              " of those held out rightly";
    if (layers == 1) return begin + ". It is the only one trained: there is none to compare it with.";
    return begin + ", training W^(" + std::to_string(layers) + ") alone " + percent(train[top]) + " and " + percent(test[top]) + ". " +
           orderInWords(orderOf(r.train, layers, epochs, r.reached), orderOf(r.test, layers, epochs, r.reached), r.draws > 1);
}

}  // namespace

constinit const SceneTable kScene = table::sceneTable<Params>(
    {.id = "remaining-depth",
     .title = "Remaining depth",
     .claim = "Of layers with equally many weights, trained one at a time, the lowest learns its samples best: more depth remains behind "
              "it.",
     .group = "Training",
     .icon = "0080 0383850503 0888",
     .source = "P4 Fig 6",
     .lookAt = "In each network only the lit layer learns: the more layers lie behind it, the more samples it ends up naming rightly.",
     .tryThis = "Play the epochs, and compare the samples learnt from with those held out, where the order need not hold.",
     .params = kParams,
     .fields = kFields,
     .presets = kPresets,
     .timeline = {"at", "epoch", "epoch", false, 0.4},
     .opening = "Five layers, each trained alone",
     .savesNetwork = true});

}  // namespace remaining_depth

Declaration remaining_depth_declaration() { return declare(remaining_depth::kScene); }
Model remaining_depth_model() {
    return sceneModel<remaining_depth::kScene, remaining_depth::run, remaining_depth::cost, remaining_depth::summary,
                      digit_training::openSamples<remaining_depth::Params>>();
}

}  // namespace kappaflow
