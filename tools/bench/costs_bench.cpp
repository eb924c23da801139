// What random admissible requests of each scene were estimated to take, beside what they took: each runs in a process of its own, whose
// processor time counts as two billion operations a second and whose largest resident memory, less that before, as bytes. Linux only.
// A piece is the time between two ticks, which nothing can cancel.
//   costs_bench [REQUESTS [SEED [SCENE or LINK]]]   lines "scene | operations estimated | taken | bytes estimated | taken | seconds of the
//   longest piece | link", then a table
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/request_costs.h"

using namespace kappaflow;

namespace {

/// Below these nobody waits or runs short, and starting a process takes a good part.
constexpr double kLeastOperations = 2e7, kLeastBytes = 8e6;
/// Requests this many times over the limit are run too: some are refused for nothing.
constexpr double kOver = 12;

/// Estimate over what was taken, neither below what counts.
double ratioOf(double estimated, double taken, double least) { return std::max(estimated, least) / std::max(taken, least); }

struct Spread {
    std::vector<double> ratios;
    void print() {
        std::sort(ratios.begin(), ratios.end());
        if (ratios.empty())
            std::printf(" |      -      -      -");
        else
            std::printf(" | %6.2f %6.2f %6.2f", ratios.front(), ratios[ratios.size() / 2], ratios.back());
    }
};

struct Row {
    std::string scene;
    Spread operations, bytes;
    int ran = 0, refused = 0, falsely = 0, failed = 0;
    double piece = 0;
};

/// Runs what a state asks and adds it to the row; leaves out what is refused for its values, or far over the limit.
void add(Row& row, const State& state, int mostRefused) {
    Request request;
    request.scene = state.scene;
    request.params = state.params;
    std::unique_ptr<OpenRequest> opened;
    try {
        opened = openRequest(request, {1e300, 1e300});
    } catch (const InputError&) {
        return;
    }
    const Cost cost = opened->cost();
    const bool refused = cost.operations > kCostLimit.operations || cost.bytes > kCostLimit.bytes;
    if (cost.operations > kOver * kCostLimit.operations || cost.bytes > 8 * kCostLimit.bytes) return;
    if (refused && row.refused > mostRefused) return;
    const Taken taken = takenBy(*opened);
    std::printf("%s | %.3g | %.3g | %.3g | %.3g | %.3f | %s\n", state.scene.c_str(), cost.operations, taken.operations, cost.bytes,
                taken.bytes, taken.piece, formatLink(state).c_str());
    row.piece = std::max(row.piece, taken.piece);
    ++row.ran;
    row.refused += refused;
    if (taken.operations < 0) return void(row.failed += !refused);
    row.falsely += refused && 5 * taken.operations < kCostLimit.operations && 2 * taken.bytes < kCostLimit.bytes;
    row.operations.ratios.push_back(ratioOf(cost.operations, taken.operations, kLeastOperations));
    row.bytes.ratios.push_back(ratioOf(cost.bytes, taken.bytes, kLeastBytes));
}

void print(Row& row) {
    std::printf("%-21s", row.scene.c_str());
    row.operations.print(), row.bytes.print();
    std::printf(" | %6.3f s | %d %d %d %d\n", row.piece, row.ran, row.refused, row.falsely, row.failed);
}

}  // namespace

int main(int count, char** words) {
    const int requests = count > 1 ? std::atoi(words[1]) : 20;
    const auto seed = static_cast<std::uint64_t>(count > 2 ? std::atoi(words[2]) : 1);
    const std::string only = count > 3 ? words[3] : "";
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    std::vector<Row> rows;
    if (only.find('=') != only.npos) {
        std::vector<std::string> warnings;
        const State state = parseLink(only, warnings);
        rows.push_back({state.scene, {}, {}});
        add(rows.back(), state, 1);
    }
    for (const auto& scene : declarations()) {
        if (!only.empty() && scene.id != only) continue;
        Rng rng(seed, Purpose::Data);
        rows.push_back({scene.id, {}, {}});
        for (int tries = 0; rows.back().ran < requests && tries < 6 * requests; ++tries)
            add(rows.back(), costedState(scene, rng), requests / 4);
    }
    std::printf(
        "\nscene                 | operations: estimate / taken | bytes: the same       | longest piece | run, refused, for nothing, "
        "failed\n");
    std::printf("                      |  least median   most |  least median   most\n");
    for (Row& row : rows) print(row);
}
