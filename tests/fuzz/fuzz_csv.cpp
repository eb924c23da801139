// Bytes nobody vouches for → the reader of data files: tables in text, JSON and archives of numpy. What it takes must be points that
// training takes too: finite, labelled by the classes it names, standardised. InputError is the one way out; anything else, a sanitizer's
// word included, is a finding.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/base/errors.h"
#include "core/io/csv.h"

namespace {

using namespace kappaflow;

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "the fuzz target's own check failed: %s\n", what);
    std::abort();
}

void check(const LabelledPoints& set) {
    const std::size_t samples = set.labels.size();
    require(set.points.rows == 2 && set.points.columns == samples && samples >= 2 && samples <= kMaxSamples, "a point a label");
    require(set.classes.size() >= 2 && set.classes.size() <= kMaxDataClasses, "two to ten classes");
    for (const int label : set.labels) require(label >= 0 && label < static_cast<int>(set.classes.size()), "labels are classes");
    for (std::size_t r = 0; r < 2; ++r) {
        double squares = 0;
        for (std::size_t s = 0; s < samples; ++s) squares += set.points(r, s) * set.points(r, s);
        const double spread = squares / static_cast<double>(samples);
        require(spread == 0 || std::abs(spread - 1) < 1e-9, "coordinates have variance 1, or none");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const std::span<const std::uint8_t> bytes(data, size);
        if (namesPoints(bytes)) require(needsTable(bytes), "what names points is an archive");
        const std::string table = needsTable(bytes) ? pointsAsTable(bytes, "points") : std::string();
        check(table.empty() ? readCsv(bytes) : readCsv({reinterpret_cast<const unsigned char*>(table.data()), table.size()}));
    } catch (const InputError& error) {
        require(std::strlen(error.what()) > 10 && std::strlen(error.what()) < 500, "a refusal is a sentence");
    }
    return 0;
}
