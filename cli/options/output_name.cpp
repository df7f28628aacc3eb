#include "cli/options/output_name.hpp"

#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "cli/messages/failure.hpp"
#include "collector/spool/left_over.hpp"
#include "collector/spool/spool_path.hpp"

namespace prof::cli {

namespace fs = std::filesystem;

namespace {

constexpr char kNumberMark = '\1';  // stands for %n until the rest is known

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

// Returns the value of "{VAR}". `at` is the position after "%q" and is moved after "{VAR}".
std::string variable(const std::string& pattern, std::size_t& at) {
  const std::size_t close = pattern.find('}', at);
  if (at >= pattern.size() || pattern[at] != '{' || close == std::string::npos)
    throw Failure("output name " + pattern + ": write %q{VARIABLE}", kBadUsage);
  const std::string name = pattern.substr(at + 1, close - at - 1);
  at = close + 1;
  const char* value = std::getenv(name.c_str());
  if (value == nullptr)
    throw Failure("output name " + pattern + ": the environment variable " + name + " is not set",
                  kBadUsage);
  return value;
}

std::string expand(const std::string& pattern) {
  std::string out;
  for (std::size_t at = 0; at < pattern.size();) {
    const char c = pattern[at++];
    if (c != '%') {
      out += c;
      continue;
    }
    const char kind = at < pattern.size() ? pattern[at++] : '\0';
    switch (kind) {
      case 'q':
        out += variable(pattern, at);
        break;
      case 'h':
        out += host_name();
        break;
      case 'n':
        out += kNumberMark;
        break;
      case 'p':
        out += "%p";
        break;
      case '%':
        out += '%';
        break;
      default:
        throw Failure("output name " + pattern + ": unknown placeholder %" + std::string(1, kind) +
                          " (known: %q{VARIABLE} %h %p %n %%)",
                      kBadUsage);
    }
  }
  return out;
}

// True if a recording or a report has the name. The recording is checked first, because it is
// removed after its report was written.
bool is_taken(const std::string& path) {
  std::error_code error;
  const std::string recording = spool::spool_path(path);
  return fs::exists(recording, error) || !spool::has_free_name(recording);
}

OutputName number(const std::string& marked) {
  for (int n = 1;; ++n) {
    std::string path;
    for (const char c : marked) path += c == kNumberMark ? std::to_string(n) : std::string(1, c);
    if (is_taken(path)) continue;
    auto reserved = base::ReservedName::choose(path);
    // The previous owner of the reservation may have created the recording meanwhile.
    if (reserved && !is_taken(path)) return OutputName(std::move(path), std::move(reserved));
  }
}

// True if the name has an ending that says what the file is: ".db" or ".sqlite", but not the ".8"
// of a version or a placeholder that becomes a number.
bool has_ending(const std::string& file) {
  const std::string ending = fs::path(file).extension().string();
  return ending.size() > 1 && std::isalpha(static_cast<unsigned char>(ending[1])) != 0;
}

}  // namespace

std::string OutputName::absolute() const { return fs::absolute(path_).string(); }

OutputName expand_output_name(const std::string& pattern) {
  if (pattern.empty()) throw Failure("the output name is empty", kBadUsage);
  std::string path = expand(pattern);
  if (path.find("://") != std::string::npos)
    throw Failure(
        "-o " + path + ": prof writes files only; copy the report afterwards with prof upload",
        kBadUsage);
  const std::string file = fs::path(path).filename().string();
  if (file.empty() || fs::is_directory(path))
    throw Failure("output name " + pattern + " is a directory: give the name of a file in it",
                  kBadUsage);
  if (!has_ending(file)) path += ".db";
  return path.find(kNumberMark) == std::string::npos ? OutputName(path) : number(path);
}

bool has_ending_of_nsys(const std::string& path) {
  const fs::path ending = fs::path(path).extension();
  return ending == ".nsys-rep" || ending == ".qdrep";
}

}  // namespace prof::cli
