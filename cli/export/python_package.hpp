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

}  // namespace prof::cli
