#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/capacity/capacity_graph.h"
#include "core/capacity/capacity_network.h"
#include "core/net/layer_norm.h"
#include "core/net/layer_rows.h"

namespace kappaflow {
namespace {

using Entry = CapacityLayer::Entry;
using Vector = std::vector<double>;

void checkEntries(double entries, const Layer& layer) {
    if (entries <= kMaxCapacityEntries) return;
    throw InputError((layer.name.empty() ? std::string("A layer") : "Layer \"" + layer.name + "\"") +
                     " has more than ten million connections, too many to follow its capacity.");
}

/// The entries of one column, at first with weights in place of shares. Columns are kept, or handed to a visitor and forgotten.
class ColumnBuilder {
public:
    ColumnBuilder(const Layer& layer, const ZeroUnits& zeros, const ColumnVisitor* visitor = nullptr,
                  const std::vector<std::size_t>* wanted = nullptr)
        : visitor_(visitor), wanted_(wanted), zeros_(zeros) {
        D_.inputs = layer.in.units();
        D_.outputs = layer.out.units();
        D_.start.push_back(0);
    }
    /// Refuses more connections than can be kept.
    void expect(double entries, const Layer& layer) const {
        if (!visitor_) checkEntries(entries, layer);
    }
    /// The caller wants only some of the columns.
    bool takesSome() const { return wanted_; }
    /// Passes over the next column when it is not among the wanted ones.
    bool skips() {
        if (!wanted_ || std::binary_search(wanted_->begin(), wanted_->end(), closed_)) return false;
        ++closed_;
        return true;
    }
    void add(std::size_t input, double offset, double weight) {
        if (!zeros_.empty() && zeros_[input]) return;
        D_.entries.push_back({static_cast<std::uint32_t>(input), static_cast<float>(offset), weight});
    }
    /// Closes the column: weights become squared weights over their sum. Scaled by the largest so that no square overflows.
    void close(bool tapsMayMeet) {
        auto& entries = D_.entries;
        const auto first = entries.begin() + static_cast<std::ptrdiff_t>(D_.start.back());
        if (tapsMayMeet) entries.erase(joinMeeting(first, entries.end()), entries.end());
        entries.erase(std::remove_if(first, entries.end(), [](const Entry& e) { return e.share == 0; }), entries.end());
        double largest = 0, sum = 0;
        for (auto e = first; e != entries.end(); ++e) largest = std::max(largest, std::abs(e->share));
        for (auto e = first; e != entries.end(); ++e) sum += (e->share = (e->share / largest) * (e->share / largest));
        for (auto e = first; e != entries.end(); ++e) e->share /= sum;
        if (visitor_) {
            (*visitor_)(closed_++, entries, largest > 0 ? largest * std::sqrt(sum) : 0);
            return entries.clear();
        }
        D_.lost.push_back(largest > 0 ? 0 : 1);
        D_.start.push_back(entries.size());
    }
    void setScale(double scale) { D_.scale = scale; }
    CapacityLayer take() { return std::move(D_); }

private:
    /// Taps that meet on one input are one entry of P: their weights add before the square.
    static std::vector<Entry>::iterator joinMeeting(std::vector<Entry>::iterator first, std::vector<Entry>::iterator last) {
        std::stable_sort(first, last, [](const Entry& a, const Entry& b) { return a.input < b.input; });
        auto out = first;
        for (auto e = first; e != last; ++e) {
            if (out != first && std::prev(out)->input == e->input) {
                std::prev(out)->share += e->share;
            } else {
                *out++ = *e;
            }
        }
        return out;
    }

    CapacityLayer D_;
    const ColumnVisitor* visitor_;
    const std::vector<std::size_t>* wanted_;  ///< rising; null: every column
    const ZeroUnits& zeros_;
    std::size_t closed_ = 0;
};

/// diag(w) (1 − 11ᵀ/n), what a layer norm does but for a factor of each sample's own that all its units share.
void addLayerNorm(const Layer& layer, ColumnBuilder& builder) {
    const auto sets = normalisedSets(layer);
    const std::size_t n = sets.front().count;
    // Costs count a layer norm's units, not its pairs: a few columns may be looked at, but not all of a wide one.
    if (!builder.takesSome()) checkEntries(static_cast<double>(layer.in.units()) * static_cast<double>(n), layer);
    std::vector<std::size_t> setOf(layer.in.units());
    for (std::size_t s = 0; s < sets.size(); ++s)
        for (std::size_t k = 0; k < n; ++k) setOf[sets[s].first + k * sets[s].stride] = s;
    const std::size_t width = layer.in.channels * layer.in.height > 1 ? static_cast<std::size_t>(layer.in.width) : 1;
    for (std::size_t j = 0; j < setOf.size(); ++j) {
        if (builder.skips()) continue;
        const NormalisedSet& set = sets[setOf[j]];
        const double scale = layer.as<LayerNorm>().weights[scaleIndex(layer, j)], mean = 1 / static_cast<double>(n);
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t i = set.first + k * set.stride;
            builder.add(i, static_cast<double>(i % width) - static_cast<double>(j % width), scale * ((i == j ? 1 : 0) - mean));
        }
        builder.close(false);
    }
}

void addColumns(const Layer& layer, ColumnBuilder& builder) {
    if (layer.is<LayerNorm>()) return addLayerNorm(layer, builder);
    assert((!layer.is<Join, Block>()));
    if (layer.is<Softmax>()) followedOperands({layer}, CapacityRule::Squares);  // refuses it
    const Window w = windowOf(layer);
    const bool mayMeet = w.padding != Padding::Zero;
    builder.expect(connectionsOf(layer), layer);
    builder.setScale(w.stride[1]);
    LinearRows rows(layer);
    for (std::size_t unit = 0; unit < layer.out.units(); ++unit) {
        if (builder.skips()) continue;
        // Offsets are displacements along the wider axis, not yet folded back by the padding.
        rows.visit(unit, [&](std::size_t input, std::size_t tap, double weight) {
            builder.add(input, static_cast<int>(tap % static_cast<std::size_t>(w.size[1])) * w.dilation[1] - w.before[1], weight);
        });
        builder.close(mayMeet);
    }
}

/// The columns of a block as far down as they are followed: entries are units of the place that they have come to.
struct ColumnWalker {
    using State = CapacityLayer;
    static void step(const Layer& layer, const ZeroUnits& zeros, CapacityLayer& above) {
        above = compose(capacityLayer(layer, zeros), above);
    }
    static std::vector<CapacityLayer> split(const CapacityLayer& above, const std::vector<Vector>& shares) {
        std::vector<CapacityLayer> parts;
        for (const Vector& share : shares) {
            CapacityLayer& part = parts.emplace_back(emptied(above, above.inputs));
            for (std::size_t j = 0; j < above.outputs; ++j) {
                for (std::size_t e = above.start[j]; e < above.start[j + 1]; ++e) {
                    const Entry& entry = above.entries[e];
                    if (share[entry.input] > 0) part.entries.push_back({entry.input, entry.offset, entry.share * share[entry.input]});
                }
                part.start.push_back(part.entries.size());
            }
        }
        parts.front().lost = above.lost;
        for (std::size_t j = 0; j < above.outputs; ++j)
            for (std::size_t e = above.start[j]; e < above.start[j + 1]; ++e) {
                const Entry& entry = above.entries[e];
                if (std::all_of(shares.begin(), shares.end(), [&](const Vector& share) { return share[entry.input] == 0; }))
                    parts.front().lost[j] += entry.share;
            }
        return parts;
    }
    static CapacityLayer piece(const CapacityLayer& above, std::size_t operand, std::size_t first, std::size_t count) {
        CapacityLayer part = emptied(above, count);
        for (std::size_t j = 0; j < above.outputs; ++j) {
            for (std::size_t e = above.start[j]; e < above.start[j + 1]; ++e) {
                const Entry& entry = above.entries[e];
                if (entry.input >= first && entry.input < first + count)
                    part.entries.push_back({static_cast<std::uint32_t>(entry.input - first), entry.offset, entry.share});
            }
            part.start.push_back(part.entries.size());
        }
        if (operand == 0) part.lost = above.lost;
        return part;
    }
    static void merge(CapacityLayer& into, CapacityLayer more) {
        if (into.start.empty()) return void(into = std::move(more));
        CapacityLayer both = emptied(into, into.inputs);
        // Ways that met on a unit with one displacement are one way, else a long chain of sums would carry each of its sums' ways along.
        std::vector<std::size_t> at(into.inputs, ~std::size_t{0});
        for (std::size_t j = 0; j < both.outputs; ++j) {
            for (const CapacityLayer* part : {&into, &more})
                for (std::size_t e = part->start[j]; e < part->start[j + 1]; ++e) {
                    const Entry& entry = part->entries[e];
                    std::size_t& place = at[entry.input];
                    const bool met = place < both.entries.size() && place >= both.start[j] && both.entries[place].offset == entry.offset;
                    if (met) {
                        both.entries[place].share += entry.share;
                        continue;
                    }
                    place = both.entries.size();
                    both.entries.push_back(entry);
                }
            both.start.push_back(both.entries.size());
            both.lost[j] = into.lost[j] + more.lost[j];
        }
        into = std::move(both);
    }

private:
    static CapacityLayer emptied(const CapacityLayer& like, std::size_t inputs) {
        return {inputs, like.outputs, {0}, {}, Vector(like.outputs), like.scale};
    }
};

CapacityLayer blockColumns(const Layer& block) {
    CapacityLayer top{block.out.units(), block.out.units(), {0}, {}, Vector(block.out.units()), 1};
    for (std::size_t j = 0; j < top.outputs; ++j) {
        top.entries.push_back({static_cast<std::uint32_t>(j), 0, 1});
        top.start.push_back(j + 1);
    }
    ColumnWalker walker;
    return CapacityGraph(block).descend(walker, std::move(top));
}

}  // namespace

CapacityLayer capacityLayer(const Layer& layer, const ZeroUnits& zeros) {
    if (layer.is<Block>()) return blockColumns(layer);
    ColumnBuilder builder(layer, zeros);
    addColumns(layer, builder);
    return builder.take();
}

void visitColumns(const Layer& layer, const ColumnVisitor& visitor, const ZeroUnits& zeros, const std::vector<std::size_t>* wanted) {
    ColumnBuilder builder(layer, zeros, &visitor, wanted);
    addColumns(layer, builder);
}

}  // namespace kappaflow
