// Bytes nobody vouches for → a scene, values of its params as a link, a file → the report and its texts. Every answer must hold together: a
// link comes back, arrays have their axes' sizes, JSON is JSON, a refusal offers what is then admitted, and what follows a cancelled
// computation is what a fresh one gives. InputError is the one way out.
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/base/errors.h"
#include "fuzz/network_checks.h"
#include "fuzz/param_text.h"
#include "fuzz/protobuf_mutator.h"
#include "jobs/codec.h"
#include "jobs/export.h"
#include "scene/progress.h"
#include "scene/state.h"

namespace {

using namespace kappaflow;
using fuzz::require;
using fuzz::textOf;

constexpr Cost kLimit{4e6, 6e7};  // of a request; larger ones say nothing new and cost time
constexpr std::size_t kHead = 4, kSetting = 5, kMostSettings = 7, kSafeLink = 1500;

std::size_t headOf(const std::uint8_t* data, std::size_t size) {
    return size < kHead ? size : std::min(size, kHead + kSetting * (data[2] % (kMostSettings + 1)));
}

std::string linkOf(const std::uint8_t* data, std::size_t head) {
    const Declaration& scene = declarations()[data[0] % declarations().size()];
    std::string link = "scene=" + scene.id;
    for (std::size_t at = kHead; at + kSetting <= head; at += kSetting) {
        const Param& param = scene.params[data[at] % scene.params.size()];
        std::uint32_t raw = 0;
        std::memcpy(&raw, data + at + 1, 4);
        link += "&" + std::string(param.key) + "=" + textOf(param, raw);
    }
    return link;
}

class Stopped : public Progress {
public:
    Stopped(Leftovers* leftovers, int ticks) : Progress(leftovers), left_(ticks) {}

private:
    bool stopped() const override { return --left_ < 0; }
    bool wantsPartial() override { return true; }
    void publish(Report report) override { reportJson(report, namedParams(report)); }
    mutable int left_;
};

std::string jsonOf(const Report& report) { return reportJson(report, namedParams(report)); }

void checkReport(const Report& report) {
    for (const Array& array : report.arrays) {
        std::size_t size = 1;
        for (const auto& axis : array.axes) size *= axis.size();
        require(array.values.size() == size, "an array has a value for every place on its axes");
        require(array.standardError.empty() || array.standardError.size() == size, "and as many standard errors");
    }
    require(!report.summary.empty(), "a report says what it found");
    const std::string json = jsonOf(report);
    require(nlohmann::json::accept(json), "JSON is JSON");
    require(jsonOf(decodeReport(encodeReport(report))) == json, "a report comes back from its bytes");
    reportCsv(report);
    reportText(report);
    if (!report.arrays.empty()) arrayCsv(report, report.arrays.front().name);
    if (!report.networkFile.empty()) validate(readOnnx(report.networkFile));
}

void answer(const std::uint8_t* data, std::size_t size) {
    const std::size_t head = headOf(data, size);
    std::vector<std::string> warnings, none;
    const State state = parseLink(linkOf(data, head), warnings);
    const std::string link = formatLink(state);
    if (link.size() < kSafeLink) require(parseLink(link, none) == state, "a link comes back");

    Request request{state.scene, state.params, nullptr, nullptr};
    const auto file = std::make_shared<const Attachment>(Attachment{"file", {data + head, data + size}});
    bool asksFile = false;
    for (const Param& param : findDeclaration(state.scene)->params)
        if (takesFile(param.kind) && state.params.text(param.key) == "file") {
            (param.kind == Kind::Network ? request.network : request.data) = file;
            asksFile = true;
        }
    request.withNetwork = data[1] % 4 == 1;

    std::unique_ptr<OpenRequest> open;
    try {
        open = openRequest(request, kLimit);
    } catch (const OverBudget& refused) {
        fuzz::requireSentence(refused);
        if (refused.nearest.begin() == refused.nearest.end() || asksFile) return;
        request.params = refused.nearest;
        try {
            open = openRequest(request, kLimit);
        } catch (const OverBudget&) {
            require(false, "what is offered in place of a refused request is admitted");
        }
    }
    Leftovers leftovers;
    if (data[1] % 2) try {
            Stopped progress(&leftovers, 1 + data[3]);
            open->run(progress);
        } catch (const Cancelled&) {
        }
    Progress next(&leftovers);
    const Report report = open->run(next).report;
    checkReport(report);
    if (data[1] % 2 == 0) return;
    Progress fresh;
    require(jsonOf(open->run(fresh).report) == jsonOf(report), "after a cancelled computation the next gives what a fresh one does");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < kHead) return 0;
    try {
        answer(data, size);
    } catch (const InputError& error) {
        fuzz::requireSentence(error);
    }
    return 0;
}

// Half of the changes are to the request; of the others most keep the file a protobuf message.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    const std::size_t head = headOf(data, size);
    if (seed % 2 || size <= head) {
        const std::size_t before = data[2] % (kMostSettings + 1), file = size - head;
        std::vector<std::uint8_t> tail(data + head, data + size);
        std::vector<std::uint8_t> begin(data, data + head);
        begin.resize(kHead + kSetting * kMostSettings);
        if (seed % 4 == 3) begin[2] = static_cast<std::uint8_t>(seed / 4);
        LLVMFuzzerMutate(begin.data(), seed % 8 == 1 ? kHead : std::max(kHead, kHead + kSetting * before), begin.size());
        begin.resize(kHead + kSetting * (begin[2] % (kMostSettings + 1)));
        if (begin.size() + file > most) return LLVMFuzzerMutate(data, size, most);
        std::memcpy(data, begin.data(), begin.size());
        if (file) std::memcpy(data + begin.size(), tail.data(), file);
        return begin.size() + file;
    }
    fuzz::ProtobufMutator mutator(seed / 2 + 1, fuzz::changeBytes);
    const std::string file = seed % 16 ? mutator.mutated(std::string(reinterpret_cast<const char*>(data + head), size - head)) : "";
    if (file.empty() || head + file.size() > most) return head + LLVMFuzzerMutate(data + head, size - head, most - head);
    std::memcpy(data + head, file.data(), file.size());
    return head + file.size();
}
