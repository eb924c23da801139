#pragma once
#include <emscripten/val.h>

#include <exception>
#include <string>

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

}  // namespace kappaflow
