#include "bindings/convert.h"

#include <map>
#include <span>
#include <string_view>

#include "core/base/errors.h"
#include "jobs/bytes_web.h"
#include "jobs/export.h"

namespace kappaflow {
namespace {

using Files = std::map<std::string, std::vector<unsigned char>, std::less<>>;

constexpr std::string_view kSamples = "samples/";

Files& files() {
    static Files provided;
    return provided;
}

}  // namespace

emscripten::val provideFile(const std::string& name, const emscripten::val& bytes) {
    return guarded([&] {
        std::vector<unsigned char> taken = fromBytes(bytes, kMaxHandedBytes);
        const std::string kind = name.substr(0, name.find('/') + 1);
        if (kind != kSamples) std::erase_if(files(), [&](const auto& file) { return file.first.starts_with(kind); });
        // What was handed in once may be in use.
        files().emplace(name, std::move(taken));
        return emscripten::val::object();
    });
}

const std::vector<unsigned char>& providedFile(const std::string& name, std::span<const unsigned char> source) {
    const auto found = files().find(name);
    if (found == files().end()) throw MissingFile(name, {source.data(), source.data() + source.size()});
    return found->second;
}

namespace {

using emscripten::val;

/// More numbers than any list param takes; longer ones are refused before they are copied.
constexpr double kMaxListLength = 1e5;

bool isMissing(const val& value) { return value.isUndefined() || value.isNull(); }

bool isInstance(const val& value, const char* type) { return value.instanceof (val::global(type)); }

bool isTypedArray(const val& value) { return val::global("ArrayBuffer").call<bool>("isView", value) && !isInstance(value, "DataView"); }

std::vector<double> toList(const std::string& key, const val& list) {
    if (list["length"].as<double>() > kMaxListLength) throw InputError(key + " is a list of far too many numbers.");
    const auto length = list["length"].as<unsigned>();
    std::vector<double> numbers;
    numbers.reserve(length);
    for (unsigned i = 0; i < length; ++i) {
        if (!list[i].isNumber()) throw InputError(key + " takes numbers in its list, and entry " + std::to_string(i) + " is none.");
        numbers.push_back(list[i].as<double>());
    }
    return numbers;
}

Value toValue(const std::string& key, const val& value) {
    if (value.isTrue() || value.isFalse()) return value.isTrue();
    if (value.isNumber()) return value.as<double>();
    if (value.isString()) return value.as<std::string>();
    if (value.isArray() || isTypedArray(value)) return toList(key, value);
    throw InputError(key + " takes a number, a text, a boolean or a list of numbers, not a JavaScript " + value.typeOf().as<std::string>() +
                     ".");
}

}  // namespace

val toBytes(const std::vector<unsigned char>& bytes) {
    return val(emscripten::typed_memory_view(bytes.size(), bytes.data())).call<val>("slice");
}

val toFloat64Array(const std::vector<double>& values) {
    return val(emscripten::typed_memory_view(values.size(), values.data())).call<val>("slice");
}

std::vector<unsigned char> fromBytes(const val& given, double most) {
    const val type = val::global("Uint8Array");
    val bytes = given;
    if (isInstance(given, "ArrayBuffer"))
        bytes = type.new_(given);
    else if (isTypedArray(given))
        bytes = type.new_(given["buffer"], given["byteOffset"], given["byteLength"]);
    else
        throw InputError("Bytes come as a Uint8Array or an ArrayBuffer.");
    if (bytes["length"].as<double>() > most)
        throw InputError("The file is larger than " + std::to_string(static_cast<int>(most) >> 20) + " MB.");
    return bytesIn(bytes);
}

Values toValues(const val& object) {
    Values values;
    if (isMissing(object)) return values;
    if (object.typeOf().as<std::string>() != "object") throw InputError("Params come as an object of keys and values.");
    const val keys = val::global("Object").call<val>("keys", object);
    const auto count = keys["length"].as<unsigned>();
    for (unsigned i = 0; i < count; ++i) {
        const auto key = keys[i].as<std::string>();
        const val value = object[key];
        if (!isMissing(value)) values.set(key, toValue(key, value));
    }
    return values;
}

std::shared_ptr<const Attachment> toAttachment(const val& bytes, const std::string& name) {
    if (isMissing(bytes)) return nullptr;
    auto attachment = std::make_shared<Attachment>();
    attachment->name = name;
    attachment->bytes = fromBytes(bytes);
    return attachment;
}

val parseJson(const std::string& text) { return val::global("JSON").call<val>("parse", text); }

val toReport(const Report& report) {
    val object = parseJson(reportJson(report, namedParams(report), false));
    const val list = val::global("Array");
    for (const auto& array : report.arrays) {
        val target = object["arrays"][array.name];
        target.set("values", toFloat64Array(array.values));
        if (!array.standardError.empty()) target.set("standardError", toFloat64Array(array.standardError));
        for (std::size_t i = 0; i < array.axes.size(); ++i) {
            val axis = target["axes"][static_cast<unsigned>(i)];
            if (array.axes[i].keys.empty()) axis.set("values", list.call<val>("from", toFloat64Array(array.axes[i].values)));
        }
    }
    if (!report.networkFile.empty()) object.set("networkFile", toBytes(report.networkFile));
    return object;
}

val toError(const std::string& sentence) {
    val object = val::object();
    object.set("error", sentence);
    return object;
}

val toMissing(const MissingFile& file) {
    val object = val::object();
    object.set("missing", file.name);
    if (!file.name.starts_with(kSamples)) object.set("source", toBytes(file.source));
    return object;
}

}  // namespace kappaflow
