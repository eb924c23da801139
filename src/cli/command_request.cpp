#include "cli/command_request.h"

#include "cli/command_files.h"
#include "core/base/errors.h"

namespace kappaflow {
namespace {

std::string sceneOfLink(const std::string& link) {
    std::string scene;
    for (const auto& [key, value] : linkPairs(link))
        if (key == "scene") scene = value;
    return scene;
}

Values readSettings(const Declaration& declaration, const CommandOptions& options) {
    Values given;
    for (const auto& setting : options.settings) {
        const auto equals = setting.find('=');
        if (equals == setting.npos) throw InputError("--set takes KEY=VALUE, not " + quote(setting) + ".");
        given.set(setting.substr(0, equals), setting.substr(equals + 1));
    }
    const Param *network = declaration.paramOf(Kind::Network), *data = declaration.paramOf(Kind::Data);
    if (network && !options.network.empty()) given.set(network->key, std::string("file"));
    if (data && !options.data.empty()) given.set(data->key, std::string("file"));
    return given;
}

}  // namespace

std::string meantScene(const CommandOptions& options) {
    const std::string linked = sceneOfLink(options.state);
    if (!linked.empty()) requireDeclaration(linked);
    if (!linked.empty() && !options.scene.empty() && options.scene != linked)
        throw InputError("The state given with --state is of scene " + linked + ", not of " + options.scene + ".");
    return options.scene.empty() ? linked : options.scene;
}

Meant readState(const std::string& scene, const CommandOptions& options) {
    const Declaration& declaration = requireDeclaration(scene);
    Meant meant;
    meant.state = parseLink(options.state, meant.warnings, scene);
    const Values given = readSettings(declaration, options);
    // Read for their own sake first: a wrong key or value ends the program, while a link's is only warned of.
    const Values admitted = completeValues(declaration, given, meant.warnings);
    std::vector<std::string> told;  // what the values above have already been warned of
    for (const auto& [key, value] : given) meant.state = apply(meant.state, Change::param(key, admitted.at(key)), told);
    // Defaults have followed the change of others; what was set by name stands, were it the default from before.
    for (const auto& [key, value] : given) meant.state.params.set(key, admitted.at(key));
    for (auto& sentence : idleValues(declaration, given, meant.state.params)) meant.warnings.push_back(std::move(sentence));
    return meant;
}

Meant readRequest(const CommandOptions& options, const std::string& command) {
    const std::string scene = meantScene(options);
    if (scene.empty()) throw InputError(command + " needs a scene; kappaflow list shows them.");
    Meant meant = readState(scene, options);
    Request& request = meant.request;
    request.scene = meant.state.scene;
    request.params = meant.state.params;
    if (!options.network.empty()) request.network = readAttachment(options.network);
    if (!options.data.empty()) request.data = readAttachment(options.data);
    request.withNetwork = options.withNetwork;
    return meant;
}

}  // namespace kappaflow
