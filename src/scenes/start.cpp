#include <cassert>

#include "core/base/errors.h"
#include "core/io/onnx.h"
#include "scene/scene.h"

namespace kappaflow {
namespace {

constexpr std::size_t kMaxAttachedBytes = 64u << 20;

/// A model's computation whose reports say what they answer.
class AnsweringComputation final : public Computation {
public:
    AnsweringComputation(Request request, std::vector<std::string> warnings, std::unique_ptr<Computation> previous)
        : request_(std::move(request)), warnings_(std::move(warnings)) {
        const Model& model = modelOf(request_.scene);
        // Whatever startRequest returned is one of these.
        auto* before = static_cast<AnsweringComputation*>(previous.get());
        const bool sameScene = before && before->request_.scene == request_.scene;
        inner_ = model.resume && sameScene ? model.resume(request_, std::move(before->inner_)) : model.start(request_);
        assert(inner_ && "a model starts or throws");
    }

    bool step() override { return inner_->step(); }
    double progress() const override { return inner_->progress(); }
    Report report() const override {
        Report report = inner_->report();
        report.scene = request_.scene;
        report.params = request_.params;
        report.warnings.insert(report.warnings.begin(), warnings_.begin(), warnings_.end());
        if (request_.withNetwork && report.status == Status::Ok) addFile(report);
        return report;
    }
    bool reusable() const override { return modelOf(request_.scene).resume != nullptr; }

private:
    // A network that ONNX has no words for takes nothing away from its report.
    void addFile(Report& report) const {
        const auto network = inner_->network();
        if (!network) return;
        try {
            report.networkFile = writeOnnx(*network);
        } catch (const InputError& refusal) {
            report.warnings.push_back(refusal.what());
        }
    }
    Request request_;
    std::vector<std::string> warnings_;
    std::unique_ptr<Computation> inner_;
};

void checkAttachment(const Declaration& declaration, const Values& values, Kind kind, const std::string& word, const Attachment* file) {
    const Param* param = declaration.paramOf(kind);
    if (file && !param) throw InputError(declaration.id + " takes no " + word + " file.");
    if (file && file->bytes.size() > kMaxAttachedBytes)
        throw InputError("The " + word + " file " + quote(file->name) + " is larger than 64 MB.");
    if (param && values.is(param->key, "file") && !file)
        throw InputError(param->key + "=file needs the " + word + " file itself, which a link does not carry: open it again.");
}

void checkAttachments(const Declaration& declaration, const Request& request) {
    checkAttachment(declaration, request.params, Kind::Network, "network", request.network.get());
    checkAttachment(declaration, request.params, Kind::Data, "data", request.data.get());
}

/// Refuses what would take too long or too much memory, naming the param to lower.
void checkBudget(const Declaration& declaration, const Model& model, const Request& request) {
    const Cost cost = model.cost(request);
    const auto refuse = [&](const std::string& need, const std::string& limit) {
        const std::string costliest = model.costliest(request);
        const Param* param = declaration.param(costliest);
        const bool file = param && takesFile(param->kind);
        throw InputError(
            "This would take about " + need + ", and " + limit + " is the most allowed; " +
            (file ? "choose a smaller " + std::string(param->kind == Kind::Data ? "data set." : "network.") : "lower " + costliest + "."));
    };
    // Written so that a cost that is not a number is refused too.
    if (!(cost.operations <= kCostLimit.operations)) refuse(inWords(cost.operations, 2) + " operations", inWords(kCostLimit.operations, 2));
    if (!(cost.bytes <= kCostLimit.bytes))
        refuse(inWords(cost.bytes / 1e6, 2) + " MB of memory", inWords(kCostLimit.bytes / 1e6, 2) + " MB");
}

}  // namespace

std::unique_ptr<Computation> startRequest(const Request& given, std::unique_ptr<Computation> previous) {
    const Declaration& declaration = requireDeclaration(given.scene);
    std::vector<std::string> warnings;
    Request request = given;
    request.params = completeValues(declaration, given.params, warnings);
    checkAttachments(declaration, request);
    checkBudget(declaration, modelOf(request.scene), request);
    return std::make_unique<AnsweringComputation>(std::move(request), std::move(warnings), std::move(previous));
}

Report runRequest(const Request& request) {
    const auto computation = startRequest(request);
    while (computation->step()) {
    }
    return computation->report();
}

}  // namespace kappaflow
