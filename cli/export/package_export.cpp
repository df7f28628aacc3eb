#include "cli/export/package_export.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "cli/failure.hpp"

namespace prof::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* kPython = "python3";

// The folder of the package: of an installed prof, or of a build.
std::string package_folder() {
  std::error_code error;
  const fs::path directory = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* relative : {"../lib/prof/python", "../python"})
    if (fs::is_directory(directory / relative / "prof_report", error))
      return fs::canonical(directory / relative, error).string();
  throw Failure("the Python package prof_report is missing: it belongs in " +
                (directory / "../lib/prof/python").lexically_normal().string() +
                "; reinstall the package");
}

// The environment, in which Python finds the package.
std::vector<std::string> environment_with(const std::string& folder) {
  constexpr std::string_view kName = "PYTHONPATH=";
  std::vector<std::string> variables;
  std::string path = std::string(kName) + folder;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view variable = *each;
    if (!variable.starts_with(kName))
      variables.emplace_back(variable);
    else if (variable.size() > kName.size())
      path.append(":").append(variable.substr(kName.size()));
  }
  variables.push_back(std::move(path));
  return variables;
}

std::vector<std::string> words_of(const PackageExport& what) {
  std::vector<std::string> words = {kPython,  "-m",      "prof_report",
                                    "--type", what.type, "--output=" + what.output};
  for (const std::string& table : what.tables) words.push_back("--table=" + table);
  for (const std::string& column : what.empty_columns) words.push_back("--empty-column=" + column);
  if (!what.lazy) words.emplace_back("--all-tables");
  if (what.overwrite) words.emplace_back("--force-overwrite");
  if (what.append) words.emplace_back("--append");
  if (what.quiet) words.emplace_back("--quiet");
  words.emplace_back("--");
  words.push_back(what.report);
  return words;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

void export_with_package(const PackageExport& what) {
  std::vector<std::string> words = words_of(what);
  std::vector<std::string> variables = environment_with(package_folder());
  pid_t child = 0;
  const int error = posix_spawnp(&child, kPython, nullptr, nullptr, pointers(words).data(),
                                 pointers(variables).data());
  if (error != 0)
    throw Failure("--type=" + what.type + " needs Python: cannot run " + kPython + ": " +
                  std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw Failure("");
}

}  // namespace prof::cli
