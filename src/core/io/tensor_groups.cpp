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

Role roleOf(std::string_view name) {
    if (name.size() > 2 && name.substr(name.size() - 2) == ":0") name.remove_suffix(2);
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

std::vector<Group> groupsByName(TensorFile& file) {
    std::vector<Group> groups;
    std::map<std::string, std::size_t> places;
    for (NamedTensor& tensor : file.tensors) {
        const Role role = roleOf(tensor.name);
        if (role.part == Part::Ignored) continue;
        const auto [place, isNew] = places.emplace(role.group, groups.size());
        if (isNew) groups.push_back({role.group});
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
            groups.push_back({tensor.name, &tensor});
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

/// Batch norms with a name of their own behind the layer of the same number: bn1 behind conv1.
void putNormsBehind(std::vector<Group>& order, std::vector<Group>& norms) {
    for (Group& norm : norms) {
        const std::vector<double> number = numbered(norm.name).numbers;
        const auto same = [&](const Group& group) { return !group.isNorm() && numbered(group.name).numbers == number; };
        const auto at = std::find_if(order.begin(), order.end(), same);
        if (number.empty() || at == order.end() || std::count_if(order.begin(), order.end(), same) > 1)
            refuseOrder(norm.name, order.front().name);
        order.insert(at + 1, std::move(norm));
    }
}

/// By number, one kind of name behind the other; `kinds` in the order that is tried.
std::vector<Group> byNumber(std::vector<Group> groups) {
    std::sort(groups.begin(), groups.end(),
              [](const Group& a, const Group& b) { return numbered(a.name).numbers < numbered(b.name).numbers; });
    for (std::size_t i = 1; i < groups.size(); ++i)
        if (numbered(groups[i - 1].name).numbers == numbered(groups[i].name).numbers) refuseOrder(groups[i - 1].name, groups[i].name);
    return groups;
}

/// Convolutions come before dense layers; within each, one kind of name, numbered.
std::vector<Group> linearOrder(std::vector<Group> linear) {
    std::vector<Group> order;
    for (const bool dense : {false, true}) {
        std::vector<Group> some;
        for (const Group& group : linear)
            if ((group.weight && group.weight->dims.size() == 2) == dense) some.push_back(group);
        for (const Group& group : some)
            if (numbered(group.name).words != numbered(some.front().name).words) refuseOrder(some.front().name, group.name);
        for (Group& group : byNumber(std::move(some))) order.push_back(std::move(group));
    }
    return order;
}

}  // namespace

std::vector<Group> orderedGroups(TensorFile& file) {
    if (file.tensors.empty()) throw InputError("The file holds no weights.");
    if (areUnnamed(file)) return unnamedGroups(file);
    std::vector<Group> groups = groupsByName(file);
    std::set<std::string> kinds;
    for (const Group& group : groups) kinds.insert(numbered(group.name).words);
    if (kinds.size() == 1) return byNumber(std::move(groups));
    std::vector<Group> linear, norms;
    for (Group& group : groups) (group.isNorm() ? norms : linear).push_back(group);
    if (linear.empty()) throw InputError("The file holds no weights.");
    std::vector<Group> order = linearOrder(std::move(linear));
    putNormsBehind(order, norms);
    return order;
}

}  // namespace kappaflow::tensors
