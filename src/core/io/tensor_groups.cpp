#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/base/errors.h"
#include "core/io/named_tensors.h"
#include "core/io/printable.h"

namespace kappaflow::tensors {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

struct Word {
    std::string_view text;
    Part part;
};
constexpr Word kWords[] = {
    {"weight", Part::Weight},
    {"weights", Part::Weight},
    {"W", Part::Weight},
    {"w", Part::Weight},
    {"gamma", Part::Weight},
    {"kernel", Part::Kernel},
    {"bias", Part::Bias},
    {"biases", Part::Bias},
    {"B", Part::Bias},
    {"b", Part::Bias},
    {"beta", Part::Bias},
    {"running_mean", Part::Mean},
    {"moving_mean", Part::Mean},
    {"running_var", Part::Variance},
    {"moving_variance", Part::Variance},
    {"num_batches_tracked", Part::Ignored},
};

struct Role {
    std::string group;
    Part part;
    bool outputsFirst = false;
};

/// "fc1.weight", "fc1/kernel:0", "fc1_bias": a layer's name, a separator, a word.
std::optional<Role> roleBehindName(std::string_view name) {
    for (const Word& word : kWords) {
        if (name == word.text) return Role{"", word.part, name == "weight"};
        if (name.size() < word.text.size() + 2 || name.substr(name.size() - word.text.size()) != word.text) continue;
        const std::size_t at = name.size() - word.text.size() - 1;
        if (name[at] == '.' || name[at] == '/' || name[at] == '_') return Role{std::string(name.substr(0, at)), word.part, name[at] == '.'};
    }
    return {};
}

/// "W1", "b_2", "weight3": a word and a number.
std::optional<Role> roleBeforeNumber(std::string_view name) {
    std::size_t digits = name.size();
    while (digits > 0 && isDigit(name[digits - 1])) --digits;
    if (digits == name.size()) return {};
    std::string_view word = name.substr(0, digits);
    if (!word.empty() && (word.back() == '_' || word.back() == '.')) word.remove_suffix(1);
    for (const Word& known : kWords)
        if (word == known.text) return Role{std::string(name.substr(digits)), known.part, false};
    return {};
}

/// Keras's ":0" is no part of a name.
std::string_view withoutOutput(std::string_view name) {
    if (name.size() > 2 && name.substr(name.size() - 2) == ":0") name.remove_suffix(2);
    return name;
}

Role roleOf(std::string_view name) {
    name = withoutOutput(name);
    // The longest word behind a name counts: "1.running_mean" is no layer "1.running" with a part "mean".
    if (auto role = roleBehindName(name)) return *role;
    if (auto role = roleBeforeNumber(name)) return *role;
    refuse(name,
           "its name says neither which layer it is of nor what it is there; names such as \"1.weight\", \"fc1.bias\", \"W1\", \"b1\" or "
           "arr_0, arr_1 are read");
}

/// A name with its numbers taken out, and the numbers.
struct NumberedName {
    std::string words;
    std::vector<double> numbers;
};
NumberedName numbered(std::string_view name) {
    NumberedName found;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (!isDigit(name[i])) {
            found.words += name[i];
            continue;
        }
        double number = 0;
        for (; i < name.size() && isDigit(name[i]); ++i) number = 10 * number + (name[i] - '0');
        --i;
        found.words += '#';
        found.numbers.push_back(number);
    }
    return found;
}

NamedTensor*& slotOf(Group& group, Part part) {
    switch (part) {
        case Part::Bias:
            return group.bias;
        case Part::Mean:
            return group.mean;
        case Part::Variance:
            return group.variance;
        default:
            return group.weight;
    }
}

Group groupOf(const std::string& name) {
    NumberedName split = numbered(name);
    return {name, std::move(split.words), std::move(split.numbers)};
}

std::vector<Group> groupsByName(TensorFile& file) {
    std::vector<Group> groups;
    std::map<std::string, std::size_t> places;
    for (NamedTensor& tensor : file.tensors) {
        const Role role = roleOf(tensor.name);
        const auto [place, isNew] = places.emplace(role.group, groups.size());
        if (isNew) groups.push_back(groupOf(role.group));
        Group& group = groups[place->second];
        NamedTensor*& slot = slotOf(group, role.part);
        if (slot) refuse(tensor.name, "it and " + quoted(slot->name) + " are the same part of one layer");
        slot = &tensor;
        if (role.part == Part::Kernel) group.inputsFirst = true;
        if (role.part == Part::Weight && role.outputsFirst) group.outputsFirst = true;
    }
    return groups;
}

/// arr_0, arr_1, …: each array of two or more dimensions begins a layer, a list behind it is its bias.
std::vector<Group> unnamedGroups(TensorFile& file) {
    std::sort(file.tensors.begin(), file.tensors.end(),
              [](const NamedTensor& a, const NamedTensor& b) { return numbered(a.name).numbers < numbered(b.name).numbers; });
    std::vector<Group> groups;
    for (NamedTensor& tensor : file.tensors) {
        if (tensor.dims.size() > 1) {
            groups.push_back(groupOf(tensor.name));
            groups.back().weight = &tensor;
        } else {
            if (groups.empty() || groups.back().bias)
                refuse(tensor.name, "it is a list, and there is no matrix in front of it whose bias it could be");
            groups.back().bias = &tensor;
        }
    }
    return groups;
}

bool areUnnamed(const TensorFile& file) {
    return std::all_of(file.tensors.begin(), file.tensors.end(), [](const NamedTensor& t) { return numbered(t.name).words == "arr_#"; });
}

[[noreturn]] void refuseOrder(const std::string& a, const std::string& b) {
    throw InputError("layers " + quoted(a) + " and " + quoted(b) +
                     ": their names do not say which comes first; number all layers, as in \"0.weight\", \"1.weight\".");
}

/// Units or channels that a layer's weight makes; a matrix of no known direction: either of its sizes may be meant.
bool mayMake(const Group& group, std::int64_t count) {
    const std::vector<std::int64_t>& dims = group.weight->dims;
    if (dims.size() != 2) return dims.front() == count;
    return (!group.inputsFirst && dims[0] == count) || (!group.outputsFirst && dims[1] == count);
}

/// The layer of those with a batch norm's number that it stands behind: the only one, or the only one of its length.
std::size_t layerBelow(const Group& norm, const std::vector<Group>& order, const std::vector<std::size_t>& candidates) {
    if (norm.numbers.empty() || candidates.empty()) refuseOrder(norm.name, order.front().name);
    const NamedTensor& statistics = norm.mean ? *norm.mean : *norm.variance;
    const std::int64_t count = statistics.dims.empty() ? 1 : statistics.dims.front();
    const auto fits = [&](std::size_t at) { return order[at].weight && mayMake(order[at], count); };
    const auto found = std::find_if(candidates.begin(), candidates.end(), fits);
    if (candidates.size() > 1 && std::count_if(candidates.begin(), candidates.end(), fits) != 1)
        throw InputError("layer " + quoted(norm.name) + ": it could stand behind " + quoted(order[candidates[0]].name) + " or behind " +
                         quoted(order[candidates[1]].name) + ", which have its number.");
    return candidates.size() > 1 ? *found : candidates.front();
}

/// Batch norms with a name of their own behind the layer of the same number: bn1 behind conv1.
std::vector<Group> withNormsBehind(const std::vector<Group>& order, const std::vector<Group>& norms) {
    std::map<std::vector<double>, std::vector<std::size_t>> places;
    for (std::size_t i = 0; i < order.size(); ++i) places[order[i].numbers].push_back(i);
    std::vector<const Group*> behind(order.size(), nullptr);
    for (const Group& norm : norms) {
        const Group*& place = behind[layerBelow(norm, order, places[norm.numbers])];
        if (place) refuseOrder(place->name, norm.name);
        place = &norm;
    }
    std::vector<Group> all;
    for (std::size_t i = 0; i < order.size(); ++i) {
        all.push_back(order[i]);
        if (behind[i]) all.push_back(*behind[i]);
    }
    return all;
}

std::vector<Group> byNumber(std::vector<Group> groups) {
    std::sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.numbers < b.numbers; });
    for (std::size_t i = 1; i < groups.size(); ++i)
        if (groups[i - 1].numbers == groups[i].numbers) refuseOrder(groups[i - 1].name, groups[i].name);
    return groups;
}

/// Keras numbers the layers of a kind dense, dense_1, dense_2: the one without a number is number 0.
void numberTheFirst(std::vector<Group>& linear) {
    std::set<std::string> kinds;
    for (const Group& group : linear) kinds.insert(group.words);
    for (Group& group : linear) {
        if (kinds.count(group.words + "_#") == 0) continue;
        group.words += "_#";
        group.numbers.push_back(0);
    }
}

/// Convolutions come before dense layers; within each, one kind of name, numbered.
std::vector<Group> linearOrder(std::vector<Group> linear) {
    numberTheFirst(linear);
    std::vector<Group> order;
    for (const bool convolutions : {true, false}) {
        std::vector<Group> some;
        for (const Group& group : linear)
            if ((!group.weight || group.weight->dims.size() != 2) == convolutions) some.push_back(group);
        for (const Group& group : some)
            if (group.words != some.front().words) refuseOrder(some.front().name, group.name);
        for (Group& group : byNumber(std::move(some))) order.push_back(std::move(group));
    }
    return order;
}

/// Whether a number lies between those of two layers whose names differ in the last one.
bool leaveRoom(const Group& a, const Group& b) {
    const std::size_t last = a.numbers.size() - 1;
    return b.numbers[last] - a.numbers[last] > 1 && std::equal(a.numbers.begin(), a.numbers.end() - 1, b.numbers.begin());
}

/// The modules of a sequence are numbered, those without weights too: 0, 2, 3 may be a dense layer, its activation, a batch norm and the
/// next dense layer, which would all be taken for another network.
void requireNormsBeforeActivations(const std::vector<Group>& order) {
    for (std::size_t i = 1; i < order.size(); ++i) {
        if (!order[i].isNorm() || !leaveRoom(order[i - 1], order[i])) continue;
        if (i + 1 < order.size() && leaveRoom(order[i], order[i + 1])) continue;
        throw InputError("layer " + quoted(order[i].name) +
                         ": the numbers leave room for an activation in front of this batch norm and none behind it, where one would be "
                         "taken to be; save the model as ONNX.");
    }
}

}  // namespace

std::vector<Group> orderedGroups(TensorFile& file) {
    if (file.tensors.empty()) throw InputError("The file holds no weights.");
    if (areUnnamed(file)) return unnamedGroups(file);
    std::vector<Group> groups = groupsByName(file);
    const bool alike = std::all_of(groups.begin(), groups.end(), [&](const Group& group) { return group.words == groups.front().words; });
    if (alike) {
        groups = byNumber(std::move(groups));
        requireNormsBeforeActivations(groups);
        return groups;
    }
    std::vector<Group> linear, norms;
    for (Group& group : groups) (group.isNorm() ? norms : linear).push_back(group);
    if (linear.empty()) throw InputError("The file holds no weights.");
    return withNormsBehind(linearOrder(std::move(linear)), norms);
}

bool isPassedOver(std::string_view name) {
    const auto role = roleBehindName(withoutOutput(name));
    return role && role->part == Part::Ignored;
}

}  // namespace kappaflow::tensors
