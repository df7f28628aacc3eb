#include "cli/export/package_export.hpp"

#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/messages/failure.hpp"
#include "common/base/proc_file.hpp"

namespace prof::cli {

namespace fs = std::filesystem;

namespace {

// A Python version, and the folder of the package for it.
struct Package {
  std::string python;
  std::string folder;
};

// Returns the package that a wheel installed together with this prof, for one Python version:
// lib/python3.N/site-packages.
std::optional<Package> package_of_wheel(const fs::path& directory) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory / "../lib", error)) {
    const std::string version = entry.path().filename().string();
    if (!version.starts_with("python3")) continue;
    for (const char* name : {"site-packages", "dist-packages"}) {
      if (!fs::is_directory(entry.path() / name / "prof_report", error)) continue;
      const std::string folder = fs::canonical(entry.path() / name, error).string();
      for (const fs::path& beside : {directory / version, directory / "python3"})
        if (fs::exists(beside, error)) return Package{beside.string(), folder};
      return Package{version, folder};
    }
  }
  return std::nullopt;
}

// Returns the package of an installed prof, or of a build.
Package find_package() {
  std::error_code error;
  const fs::path directory = base::own_program().parent_path();
  for (const char* relative : {"../lib/prof/python", "../python"})
    if (fs::is_directory(directory / relative / "prof_report", error))
      return {"python3", fs::canonical(directory / relative, error).string()};
  if (auto package = package_of_wheel(directory)) return *package;
  throw Failure("the Python package prof_report is missing: it belongs in " +
                (directory / "../lib/prof/python").lexically_normal().string() +
                "; reinstall the package");
}

// Memory settings for the package, unless the user has others. Rows take hundreds of megabytes. By
// default the kernel would spend most of its time on taking this memory back and giving it out
// again in small pages.
constexpr std::array<std::string_view, 2> kMemorySettings{
    "GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=1073741824:"
    "glibc.malloc.trim_threshold=1073741824",
    "ARROW_DEFAULT_MEMORY_POOL=system"};

bool has_variable(std::string_view setting) {
  return std::getenv(std::string(setting.substr(0, setting.find('='))).c_str()) != nullptr;
}

// Returns the environment in which Python finds the package.
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
  for (const std::string_view setting : kMemorySettings)
    if (!has_variable(setting)) variables.emplace_back(setting);
  return variables;
}

std::vector<std::string> words_of(const PackageExport& what, const std::string& python) {
  std::vector<std::string> words = {python,   "-m",      "prof_report",
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
  const Package package = find_package();
  std::vector<std::string> words = words_of(what, package.python);
  std::vector<std::string> variables = environment_with(package.folder);
  pid_t child = 0;
  const mode_t before = umask(S_IRWXG | S_IRWXO);  // files get mode 0600, as reports have
  const int error = posix_spawnp(&child, package.python.c_str(), nullptr, nullptr,
                                 pointers(words).data(), pointers(variables).data());
  umask(before);
  if (error != 0)
    throw Failure("--type=" + what.type + " needs Python: cannot run " + package.python + ": " +
                  std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw Failure("");
}

}  // namespace prof::cli
