#pragma once
#include <emscripten/val.h>

#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scene/scene.h"

namespace kappaflow {

/// A file that this module needs and has not: whoever loaded the module hands it in by provideFile and asks again. It comes with the
/// program (a sample network), or the bundle of files makes it of `source` (files_module.cpp). No InputError: nothing is wrong with the
/// request.
struct MissingFile final : std::exception {
    std::string name;
    std::vector<unsigned char> source;

    MissingFile(std::string asked, std::vector<unsigned char> of) : name(std::move(asked)), source(std::move(of)) {}
    const char* what() const noexcept override { return name.c_str(); }
};

/// Keeps a file's bytes, `name` as MissingFile gave it, for as long as the module lives; of those made of a source the newest of a kind,
/// which the name says up to its slash. {error} on anything but bytes.
emscripten::val provideFile(const std::string& name, const emscripten::val& bytes);
/// The bytes that were handed in under a name; throws MissingFile where there are none.
const std::vector<unsigned char>& providedFile(const std::string& name, std::span<const unsigned char> source = {});

/// Bytes as a Uint8Array of their own, never a view into memory that may grow.
emscripten::val toBytes(const std::vector<unsigned char>&);
emscripten::val toFloat64Array(const std::vector<double>&);
/// More bytes than a network takes on its way from one module to another.
inline constexpr double kMaxHandedBytes = 448u << 20;
/// A Uint8Array's, another typed array's or an ArrayBuffer's bytes. Throws InputError on anything else and on more than `most`.
std::vector<unsigned char> fromBytes(const emscripten::val&, double most = 64u << 20);

/// Values given as a plain object: numbers, texts, booleans, lists of numbers. undefined and null are left out; anything else
/// throws InputError naming the key.
Values toValues(const emscripten::val& object);
/// Bytes as an attachment, or none for undefined and null.
std::shared_ptr<const Attachment> toAttachment(const emscripten::val& bytes, const std::string& name);

/// The public report with typed arrays in place of `values` and `standardError`; undefined numbers are NaN there.
emscripten::val toReport(const Report&);
/// {error: sentence}: how a refusal leaves the module, since nothing is thrown across its border.
emscripten::val toError(const std::string& sentence);
emscripten::val parseJson(const std::string& text);

/// {missing: name, source: bytes if it is made of some}: asks for a file, see provideFile.
emscripten::val toMissing(const MissingFile&);

/// Runs an action that gives a val; whatever it throws in C++ becomes {error}, or {missing}.
template <typename Action>
emscripten::val guarded(Action&& action) {
    try {
        return action();
    } catch (const std::bad_alloc&) {
        return toError("There is not enough memory for this; lower the sizes.");
    } catch (const MissingFile& file) {
        return toMissing(file);
    } catch (const std::exception& error) {
        return toError(error.what());
    }
}

}  // namespace kappaflow
