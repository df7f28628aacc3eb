// The Python package prof_report of this prof, and how Python is started with it.
#pragma once

#include <string>
#include <vector>

namespace prof::cli {

struct PythonPackage {
  std::string python;  // a name in PATH, or a path
  std::string folder;  // for PYTHONPATH
};

// Returns the package of an installed prof, or of a build. Throws Failure if there is none.
PythonPackage find_python_package();

// Returns the environment in which Python finds the package.
std::vector<std::string> environment_of(const PythonPackage& package);

// Becomes Python, which runs a module of the package with these words. `user` needs it: "prof
// recipe". Files get mode 0600, as reports have. Throws Failure if Python cannot be run.
[[noreturn]] void become_package(const std::string& user, const std::string& module,
                                 const std::vector<std::string>& arguments);

}  // namespace prof::cli
