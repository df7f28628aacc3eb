#include "cli/export/python_package.hpp"

#include <sys/stat.h>
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
#include "common/base/text/exec_words.hpp"

namespace prof::cli {

namespace fs = std::filesystem;

namespace {

// Returns the package that a wheel installed together with this prof, for one Python version:
// lib/python3.N/site-packages.
std::optional<PythonPackage> package_of_wheel(const fs::path& directory) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory / "../lib", error)) {
    const std::string version = entry.path().filename().string();
    if (!version.starts_with("python3")) continue;
    for (const char* name : {"site-packages", "dist-packages"}) {
      if (!fs::is_directory(entry.path() / name / "prof_report", error)) continue;
      const std::string folder = fs::canonical(entry.path() / name, error).string();
      for (const fs::path& beside : {directory / version, directory / "python3"})
        if (fs::exists(beside, error)) return PythonPackage{beside.string(), folder};
      return PythonPackage{version, folder};
    }
  }
  return std::nullopt;
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

}  // namespace

PythonPackage find_python_package() {
  std::error_code error;
  const fs::path directory = base::own_program().parent_path();
  for (const char* relative : {"../lib/prof/python", "../python", ".."})
    if (fs::is_directory(directory / relative / "prof_report", error))
      return {"python3", fs::canonical(directory / relative, error).string()};
  if (auto package = package_of_wheel(directory)) return *package;
  throw Failure("the Python package prof_report is missing: it belongs in " +
                (directory / "../lib/prof/python").lexically_normal().string() +
                "; reinstall the package");
}

std::vector<std::string> environment_of(const PythonPackage& package) {
  constexpr std::string_view kName = "PYTHONPATH=";
  std::vector<std::string> variables;
  std::string path = std::string(kName) + package.folder;
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

void become_package(const std::string& user, const std::string& module,
                    const std::vector<std::string>& arguments) {
  const PythonPackage package = find_python_package();
  std::vector<std::string> words = {package.python, "-m", module};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = environment_of(package);
  umask(S_IRWXG | S_IRWXO);
  execvpe(package.python.c_str(), base::exec_words(words).data(),
          base::exec_words(variables).data());
  throw Failure(user + " needs Python: cannot run " + package.python + ": " + std::strerror(errno));
}

}  // namespace prof::cli
