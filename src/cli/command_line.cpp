#include "cli/command_line.h"

#include <unistd.h>

#include <algorithm>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "core/base/cost.h"
#include "core/base/errors.h"
#include "core/io/printable.h"
#include "scene/scene.h"

namespace kappaflow {
namespace {

constexpr int kFailed = 1, kWrongRequest = 2;

using Command = int (*)(const CommandOptions&, const CommandLineHost&);

std::string namedFile(const std::string& file) { return file.empty() ? "no file is named" : ""; }

void addMemoryOption(CLI::App& command, CommandOptions& options) {
    command.add_option("--memory", options.memory, "The most a request may take, as 4G or 500M; half of the machine's if not given")
        ->transform(CLI::AsSizeValue(false));
}

/// Half of the machine's memory.
double halfOfMemory() {
    const double pages = static_cast<double>(sysconf(_SC_PHYS_PAGES)), page = static_cast<double>(sysconf(_SC_PAGESIZE));
    return pages > 0 && page > 0 ? pages * page / 2 : kCostLimit.bytes;
}

void addRequestOptions(CLI::App& command, CommandOptions& options) {
    addMemoryOption(command, options);
    command.add_option("--time", options.time, "The longest a request may take by estimate, in seconds; 30 if not given")
        ->check(CLI::Range(1.0, 1e6));
    command.add_option("SCENE", options.scene, "Which scene; kappaflow list shows them");
    // One value an occurrence: a second word belongs to the next argument, not to this option.
    command.add_option("--set", options.settings, "KEY=VALUE: a param's value (again for each param)")->allow_extra_args(false);
    command.add_option("--state", options.state, "A link from the page, or its part behind #");
    command.add_option("--network", options.network, "An ONNX, safetensors or npz file to analyse instead of a drawn network")
        ->check(namedFile);
    command
        .add_option(
            "--data", options.data,
            "Points (CSV, JSON or npz: x, y, class) or images (MNIST's IDX, its labels behind; CIFAR-10), for scenes that take data")
        ->check(namedFile);
}

void addComputeOptions(CLI::App& command, CommandOptions& options) {
    addRequestOptions(command, options);
    command.add_option("--out", options.out, "Write to this file");
}

void addRunOptions(CLI::App& command, CommandOptions& options) {
    addComputeOptions(command, options);
    command.add_option("--format", options.format,
                       "json (the default), csv or text; onnx: the network itself, as a file, where the scene has one");
    command.add_option("--array", options.array, "One array as csv in long form");
    command.add_flag("--with-network", options.withNetwork, "Put the network's weights into the json");
    command.add_option("--batch", options.batch, "Links, a line each, as sweep prints them: a line of json each is added to --out FILE")
        ->check(namedFile);
    command.add_option("--shard", options.shard, "With --batch: I/N, every N-th line from the I-th on");
}

void addRenderOptions(CLI::App& command, CommandOptions& options) {
    addComputeOptions(command, options);
    command.add_option("--size", options.size, "WIDTHxHEIGHT in pixels, 1200x800 if not given");
    command.add_option("--theme", options.theme, "light (the default) or dark");
    command.add_option("--contrast", options.contrast, "usual (the default) or more: for a projector, lines of at least 3 pixels");
    command.add_option("--scale", options.scale, "PNG: pixels of the file for each pixel of --size, 1 to 4");
    command.add_option("--frames", options.frames,
                       "That many pictures along the timeline, evenly in the time it plays: --out NAME.png gives NAME-0001.png and so on, "
                       "--out NAME.svg one animated SVG");
    command.add_flag("--marks", options.marks, "The names of the picture's marks in place of the picture, for lessons");
    command.add_option("--ui", options.ui, "figure (the default): the picture alone; full: with title and caption");
}

void addNetworkOptions(CLI::App& command, CommandOptions& options) {
    addMemoryOption(command, options);
    command.add_option("FILE", options.network, "An ONNX, safetensors or npz file")->required()->check(namedFile);
    command
        .add_option("--input", options.input,
                    "Samples to run through the network: npy of shape [N, D], [N, C, W] or [N, C, H, W], or csv, a sample a row")
        ->check(namedFile);
    command.add_option("--format", options.format,
                       "text (the default): the layers, then the outputs; json: the same; csv: the layers, with --input the outputs");
    command.add_option("--out", options.out, "Write to this file");
}

/// The commands by name; `chosen` is set by the one that was found.
void addCommands(CLI::App& app, CommandOptions& options, Command& chosen) {
    auto* list = app.add_subcommand("list", "Every scene");
    list->add_flag("--json", options.json, "As json");
    list->callback([&chosen] { chosen = listScenes; });
    auto* describe = app.add_subcommand("describe", "A scene's params and report");
    describe->add_option("SCENE", options.scene, "Which scene")->required();
    describe->add_flag("--json", options.json, "As json");
    describe->callback([&chosen] { chosen = describeScene; });
    auto* run = app.add_subcommand("run", "Compute a scene and print its report");
    addRunOptions(*run, options);
    run->callback([&chosen] { chosen = runScene; });
    auto* sweep = app.add_subcommand("sweep", "Links to a scene with every combination of values, for run --batch");
    addRequestOptions(*sweep, options);
    sweep->add_option("--over", options.over, "KEY=VALUES: values by commas, or whole numbers FROM..TO (again for each param)")
        ->allow_extra_args(false);
    sweep->add_option("--out", options.out, "Write to this file");
    sweep->callback([&chosen] { chosen = sweepScene; });
    auto* render = app.add_subcommand("render", "Draw a scene's picture as SVG, or with --out FILE.png as PNG; needs no display");
    addRenderOptions(*render, options);
    render->callback([&chosen] { chosen = renderScene; });
    auto* network = app.add_subcommand("network", "The layers of a network file as a table, and its outputs for samples");
    addNetworkOptions(*network, options);
    network->callback([&chosen] { chosen = describeNetwork; });
    auto* show = app.add_subcommand("show", "Open the window (as without a command)");
    addRequestOptions(*show, options);
    show->callback([&chosen] { chosen = showScene; });
}

/// A first word that is no command would be called "not expected" by the parser, which helps nobody.
void checkCommand(int argc, char** argv) {
    const std::vector<std::string> commands{"list", "describe", "run", "sweep", "render", "network", "show"};
    if (argc < 2 || argv[1][0] == '-') return;
    const std::string word = argv[1];
    if (std::find(commands.begin(), commands.end(), word) != commands.end()) return;
    const std::string near = nearestWord(word, commands);
    throw InputError("There is no command " + quote(word) +
                     (near.empty() ? "; there are list, describe, run, sweep, render, network and show." : "; did you mean " + near + "?"));
}

std::string oneSentence(std::string text) {
    for (char& c : text)
        if (c == '\n') c = ' ';
    while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
    return text + "; kappaflow --help shows how.";
}

/// Says of words that the parser did not expect which of them name a param, and how a param is set.
std::string withoutMeaning(const std::vector<std::string>& words, const char* said) {
    const auto isParam = [](const std::string& key) {
        return std::any_of(declarations().begin(), declarations().end(), [&](const Declaration& scene) {
            return std::any_of(scene.params.begin(), scene.params.end(), [&](const Param& param) { return key == param.key; });
        });
    };
    for (const std::string& word : words) {
        const std::string key = word.substr(std::min(word.find_first_not_of('-'), word.size()));
        if (isParam(key.substr(0, key.find('='))))
            return "A param is set by --set " + (key.find('=') == key.npos ? key + "=VALUE" : key) + ", not by " + quote(word) + ".";
    }
    return oneSentence(said);
}

int parseAndRun(int argc, char** argv, const CommandLineHost& host) {
    CLI::App app("Capacity flowing back through deep networks, and what else can be seen of them.", "kappaflow");
    app.set_version_flag("--version", std::string("kappaflow ") + KAPPAFLOW_VERSION);
    app.require_subcommand(0, 1);
    app.footer("Exit status: 0 done, 2 the request is wrong, 1 anything else.");
    CommandOptions options;
    Command chosen = showScene;
    addCommands(app, options, chosen);
    checkCommand(argc, argv);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& help) {
        const int status = app.exit(help, *host.out, *host.err);
        if (!host.out->flush()) throw std::runtime_error("Cannot write to the standard output.");
        return status;
    } catch (const CLI::ExtrasError& error) {
        const auto chosenCommands = app.get_subcommands();
        const bool takesParams = !chosenCommands.empty() && chosenCommands.front()->get_option_no_throw("--set");
        throw InputError(takesParams ? withoutMeaning(app.remaining(true), error.what()) : oneSentence(error.what()));
    } catch (const CLI::ParseError& error) {
        throw InputError(oneSentence(error.what()));
    }
    setOperationsRoom(options.time * 1e9);
    setMemoryRoom(options.memory > 0 ? static_cast<double>(options.memory) : halfOfMemory());
    return chosen(options, host);
}

int complain(const CommandLineHost& host, const std::string& sentence, int status) {
    *host.err << "kappaflow: " << validText(sentence) << "\n" << std::flush;
    return status;
}

}  // namespace

int runCommandLine(int argc, char** argv, const CommandLineHost& host) {
    try {
        return parseAndRun(argc, argv, host);
    } catch (const InputError& error) {
        return complain(host, error.what(), kWrongRequest);
    } catch (const std::bad_alloc&) {
        return complain(host, "There is not enough memory for this.", kFailed);
    } catch (const std::exception& error) {
        return complain(host, error.what(), kFailed);
    }
}

}  // namespace kappaflow
