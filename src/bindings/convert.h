#pragma once
#include <emscripten/val.h>

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "scene/scene.h"

namespace kappaflow {

/// A file that comes with the program but is not inside this module (a sample network): whoever loaded the module hands it in by
/// provideFile and asks again. No InputError: nothing is wrong with the request.
class MissingFile final : public std::exception {
public:
    explicit MissingFile(std::string name) : name_(std::move(name)) {}
    const char* what() const noexcept override { return name_.c_str(); }

private:
    std::string name_;
};

/// Keeps a file's bytes for as long as the module lives; `name` as MissingFile gave it. {error} on anything but bytes.
emscripten::val provideFile(const std::string& name, const emscripten::val& bytes);

/// Bytes as a Uint8Array of their own, never a view into memory that may grow.
emscripten::val toBytes(const std::vector<unsigned char>&);
emscripten::val toFloat64Array(const std::vector<double>&);
/// A Uint8Array's, another typed array's or an ArrayBuffer's bytes. Throws InputError on anything else and above 64 MB.
std::vector<unsigned char> fromBytes(const emscripten::val&);

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

/// {missing: name}: asks for a file, see provideFile.
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
