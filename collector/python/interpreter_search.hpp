// Finds the Python interpreter of a process from outside.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "collector/python/interpreter_memory.hpp"
#include "common/code/unwind/process_maps.hpp"

namespace prof::python {

// Searches the program and the libraries with Python's name. `root` is put before their paths.
std::optional<InterpreterAddress> find_interpreter(pid_t pid,
                                                   const std::vector<unwind::MapEvent>& maps,
                                                   const std::string& root);

// Searches libraries with Python's name only, which is quick if there is none.
std::optional<InterpreterAddress> find_libpython(pid_t pid,
                                                 const std::vector<unwind::MapEvent>& maps);

}  // namespace prof::python
