#include "cli/commands.h"

#include <unistd.h>

#include <chrono>
#include <stdexcept>

#include "cli/command_files.h"
#include "core/base/errors.h"
#include "jobs/export.h"
#include "scenes/state.h"

namespace kappaflow {
namespace {

/// A bar on the terminal while a computation runs, wiped when it ends; silent when the errors go elsewhere.
class ProgressBar {
public:
    explicit ProgressBar(const CommandLineHost& host) : err_(*host.err), shown_(host.err == &std::cerr && isatty(STDERR_FILENO)) {}
    ~ProgressBar() {
        if (drawn_) err_ << "\r\033[K" << std::flush;
    }
    void show(double progress) {
        const auto now = Clock::now();
        // Short runs show none: the first bar comes after the same while as each following one.
        if (!shown_ || now - last_ < std::chrono::milliseconds(150)) return;
        last_ = now;
        drawn_ = true;
        const auto done = static_cast<std::size_t>(progress * kWidth);
        err_ << "\r[" << std::string(done, '#') << std::string(kWidth - done, '.') << "] " << static_cast<int>(progress * 100) << " %"
             << std::flush;
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t kWidth = 40;
    std::ostream& err_;
    bool shown_, drawn_ = false;
    Clock::time_point last_ = Clock::now();
};

/// The scene and values meant by SCENE, --state and --set together, and what a reader should know about them.
struct Wish {
    State state;
    std::vector<std::string> warnings;
};

std::string sceneOfLink(const std::string& link) {
    std::string scene;
    for (const auto& [key, value] : linkPairs(link))
        if (key == "scene") scene = value;
    return scene;
}

std::string meantScene(const CommandOptions& options) {
    const std::string linked = sceneOfLink(options.state);
    if (!linked.empty()) requireDeclaration(linked);
    if (!linked.empty() && !options.scene.empty() && options.scene != linked)
        throw InputError("The state given with --state is of scene " + linked + ", not of " + options.scene + ".");
    return options.scene.empty() ? linked : options.scene;
}

Values readSettings(const Declaration& declaration, const CommandOptions& options) {
    Values given;
    for (const auto& setting : options.settings) {
        const auto equals = setting.find('=');
        if (equals == setting.npos) throw InputError("--set takes KEY=VALUE, not " + quote(setting) + ".");
        given.set(setting.substr(0, equals), setting.substr(equals + 1));
    }
    if (options.network.empty()) return given;
    for (const auto& param : declaration.params)
        if (param.kind == Kind::Network) given.set(param.key, std::string("file"));
    return given;
}

Wish readWish(const std::string& scene, const CommandOptions& options) {
    const Declaration& declaration = requireDeclaration(scene);
    Wish wish;
    wish.state = parseLink(options.state, wish.warnings, scene);
    const Values given = readSettings(declaration, options);
    // Read for their own sake first: a wrong key or value ends the program, while a link's is only warned of.
    const Values admitted = completeValues(declaration, given, wish.warnings);
    for (const auto& [key, value] : given) wish.state.params.set(key, admitted.at(key));
    for (auto& sentence : idleValues(declaration, given, wish.state.params)) wish.warnings.push_back(std::move(sentence));
    return wish;
}

Request readRequest(const CommandOptions& options, std::vector<std::string>& warnings) {
    const std::string scene = meantScene(options);
    if (scene.empty()) throw InputError("run needs a scene; kappaflow list shows them.");
    Wish wish = readWish(scene, options);
    Request request;
    request.scene = wish.state.scene;
    request.params = std::move(wish.state.params);
    if (!options.network.empty()) request.network = readAttachment(options.network);
    if (!options.data.empty()) request.data = readAttachment(options.data);
    request.withNetwork = options.withNetwork;
    warnings = std::move(wish.warnings);
    return request;
}

Report compute(const Request& request, const CommandLineHost& host) {
    ProgressBar bar(host);
    const auto computation = startRequest(request);
    while (computation->step()) bar.show(computation->progress());
    return computation->report();
}

void print(const CommandLineHost& host, const std::string& text) {
    *host.out << text << std::flush;
    if (!*host.out) throw std::runtime_error("Cannot write to the standard output.");
}

/// The format that was asked for; naming an array asks for csv.
std::string formatOf(const CommandOptions& options) {
    std::string format = !options.format.empty() ? options.format : options.array.empty() ? "json" : "csv";
    exportReport(Report{}, format, "");  // refuses an unknown one before anything is computed
    if (format != "csv" && !options.array.empty()) exportReport(Report{}, format, options.array);
    return format;
}

}  // namespace

int listScenes(const CommandOptions& options, const CommandLineHost& host) {
    print(host, options.json ? listJson() : listText());
    return 0;
}

int describeScene(const CommandOptions& options, const CommandLineHost& host) {
    const Declaration& declaration = requireDeclaration(options.scene);
    print(host, options.json ? declarationJson(declaration) : declarationText(declaration));
    return 0;
}

int runScene(const CommandOptions& options, const CommandLineHost& host) {
    const std::string format = formatOf(options);
    std::vector<std::string> warnings;
    const Request request = readRequest(options, warnings);
    if (!options.out.empty()) checkWritable(options.out);
    Report report = compute(request, host);
    report.warnings.insert(report.warnings.begin(), warnings.begin(), warnings.end());
    const std::string text = exportReport(report, format, options.array);
    if (options.out.empty())
        print(host, text);
    else
        writeFile(options.out, text);
    return report.status == Status::Ok ? 0 : 1;
}

int showScene(const CommandOptions& options, const CommandLineHost& host) {
    if (!host.openWindow) throw std::runtime_error("This program was built without a window.");
    if (!options.network.empty()) readAttachment(options.network);
    const std::string scene = meantScene(options);
    if (scene.empty() && options.settings.empty() && options.state.empty() && options.network.empty()) return host.openWindow("", "");
    const Wish wish = readWish(scene.empty() ? declarations().front().id : scene, options);
    for (const auto& warning : wish.warnings) *host.err << "kappaflow: " << warning << "\n";
    return host.openWindow(formatLink(wish.state), options.network);
}

}  // namespace kappaflow
