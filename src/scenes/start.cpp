#include <cmath>
#include <cstring>
#include <string>

#include "core/base/errors.h"
#include "core/io/csv.h"
#include "core/io/file_limits.h"
#include "scene/scene.h"
#include "scenes/chosen_network.h"

namespace kappaflow {
namespace {

/// The network of the last request that was computed, for saving it without computing again.
struct LastNetwork {
    Values params;
    std::uint64_t files = 0;
    std::shared_ptr<const Network> network;
};

std::uint64_t fingerprintOf(const Request& request) {
    std::uint64_t hash = 0;
    for (const auto* file : {request.network.get(), request.data.get()}) hash = hash * 31 + (file ? fingerprint(file->bytes) : 0);
    return hash;
}

/// A request whose reports say what they answer.
class AnsweringRequest final : public OpenRequest {
public:
    AnsweringRequest(Request request, std::vector<std::string> warnings, std::unique_ptr<OpenRequest> inner)
        : request_(std::move(request)), warnings_(std::move(warnings)), inner_(std::move(inner)) {}

    Cost cost() const override { return inner_->cost(); }
    std::string costliest() const override { return inner_->costliest(); }
    Finished run(Progress& progress) const override {
        progress.begin(request_.scene, [this](Report& report) { answer(report); });
        auto& last = progress.reuse<LastNetwork>("network");
        Finished finished;
        if (request_.networkOnly && last.network && last.params == request_.params && last.files == fingerprintOf(request_)) {
            finished.network = last.network;
            finished.report.status = Status::Ok;
        } else {
            finished = inner_->run(progress);
            if (finished.network) last = {request_.params, fingerprintOf(request_), finished.network};
        }
        answer(finished.report);
        if (request_.withNetwork && finished.network) addFile(finished);
        return finished;
    }

private:
    void answer(Report& report) const {
        report.scene = request_.scene;
        report.params = request_.params;
        report.warnings.insert(report.warnings.begin(), warnings_.begin(), warnings_.end());
        if (!request_.withNetwork) report.network.clear();
    }
    // A network that ONNX has no words for takes nothing away from its report.
    static void addFile(Finished& finished) {
        try {
            finished.report.networkFile = kappaflow::networkFile(*finished.network);
        } catch (const InputError& refusal) {
            finished.report.warnings.push_back(refusal.what());
        }
    }
    Request request_;
    std::vector<std::string> warnings_;
    std::unique_ptr<OpenRequest> inner_;
};

void checkAttachment(const Declaration& declaration, const Values& values, Kind kind, const std::string& word, const Attachment* file) {
    const Param* param = declaration.paramOf(kind);
    if (file && !param) throw InputError(declaration.id + " takes no " + word + " file.");
    if (file && file->bytes.size() > fileLimits().bytes)
        throw InputError("The " + word + " file " + quote(file->name) + " is larger than " + std::to_string(fileLimits().bytes >> 20) +
                         " MB.");
    if (param && values.is(param->key, "file") && !file)
        throw InputError(std::string(param->key) + "=file needs the " + word + " file itself, which a link does not carry: open it again.");
}

void checkAttachments(const Declaration& declaration, const Request& request) {
    checkAttachment(declaration, request.params, Kind::Network, "network", request.network.get());
    checkAttachment(declaration, request.params, Kind::Data, "data", request.data.get());
}

/// "about 1200 billion operations, 40 times", "about 30 billion operations, just over": of two positive numbers, the first the larger.
std::string operationsBeside(double operations, double limit) {
    const double times = operations / limit;
    return "about " + (operations < 1e15 ? inWords(operations / 1e9, 2) + " billion" : inWords(operations / 1e15, 2) + " million billion") +
           " operations, " + (times < 1.1 ? "just over" : inWords(times, 2) + " times");
}

// Written so that a cost that is not a number is refused too.
bool within(const Cost& cost, const Cost& limit) { return cost.operations <= limit.operations && cost.bytes <= limit.bytes; }

constexpr int kMostLowered = 6, kHalvings = 40;

/// Lowers what costs most, then what costs most beside it, until the request is admitted.
Values nearestAllowed(const Declaration& declaration, Request request, const Cost& limit) {
    if (request.network || request.data) return {};
    const auto costs = [&](const Param& param, double value) {
        request.params.set(param.key, admitValue(param, value).value);
        return modelOf(request.scene).open(request)->cost();
    };
    try {
        for (int lowered = 0; lowered < kMostLowered; ++lowered) {
            const Param* found = declaration.param(modelOf(request.scene).open(request)->costliest());
            if (!found || (found->kind != Kind::Number && found->kind != Kind::Integer)) return {};
            const Param param = adapted(*found, request.params);
            double low = param.min, high = request.params.number(param.key);
            if (!(low < high)) return {};
            if (!within(costs(param, low), limit)) continue;
            for (int i = 0; i < kHalvings; ++i) {
                const double middle = param.logarithmic ? std::sqrt(low * high) : (low + high) / 2;
                double tried = param.kind == Kind::Integer ? std::floor(middle) : middle;
                if (param.odd && std::fmod(tried, 2) == 0) --tried;
                if (tried <= low || high - low < 1e-3 * high) break;
                (within(costs(param, tried), limit) ? low : high) = tried;
            }
            costs(param, low);
            return request.params;
        }
    } catch (const InputError&) {  // of two that must not differ by too much, one was lowered
    }
    return {};
}

/// Refuses what would take too long or too much memory, naming the param to lower.
void checkBudget(const Declaration& declaration, const Request& asked, const OpenRequest& request, const Cost& limit) {
    const Cost cost = request.cost();
    if (within(cost, limit)) return;
    const char* const where = limit.operations < operationsRoom() ? " where the page may not compute in the background" : "";
    const auto refuse = [&](const std::string& amount) {
        const std::string costliest = request.costliest();
        const Param* param = declaration.param(costliest);
        const bool file = param && takesFile(param->kind);
        throw OverBudget("This would take " + amount + " the most allowed" + where + "; " +
                             (file ? "choose a smaller " + std::string(param->kind == Kind::Data ? "data set." : "network.")
                                   : "lower " + costliest + "."),
                         nearestAllowed(declaration, asked, limit));
    };
    if (!(cost.operations <= limit.operations)) refuse(operationsBeside(cost.operations, limit.operations));
    refuse("about " + inWords(cost.bytes / 1e6, 2) + " MB of memory, and " + inWords(limit.bytes / 1e6, 2) + " MB is");
}

}  // namespace

std::uint64_t fingerprint(std::span<const unsigned char> bytes) {
    std::uint64_t hash = bytes.size();
    for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data(), 8);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;  // so that high bits reach low ones: a product carries upward only
    }
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 1099511628211u;
    return hash;
}

std::unique_ptr<OpenRequest> openRequest(const Request& given, const Cost& limit) {
    const Declaration& declaration = requireDeclaration(given.scene);
    std::vector<std::string> warnings;
    Request request = given;
    request.params = completeValues(declaration, given.params, warnings);
    checkAttachments(declaration, request);
    if (request.data && needsTable(request.data->bytes))
        request.data = std::make_shared<const Attachment>(Attachment{request.data->name, tableOf(*request.data)});
    auto opened = modelOf(request.scene).open(request);
    checkBudget(declaration, request, *opened, limit);
    return std::make_unique<AnsweringRequest>(std::move(request), std::move(warnings), std::move(opened));
}

Report runRequest(const Request& request, Progress& progress) { return openRequest(request)->run(progress).report; }

Report runRequest(const Request& request) {
    Progress unheard;
    return runRequest(request, unheard);
}

}  // namespace kappaflow
