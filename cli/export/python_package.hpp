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

// Returns the texts as the exec functions take them, with a null pointer at the end. The pointers
// are valid as long as the texts.
std::vector<char*> pointers(std::vector<std::string>& texts);

}  // namespace prof::cli
