// Finds the Python interpreter of a process from outside.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "collector/python/interpreter_memory.hpp"
#include "collector/unwind/process_maps.hpp"

namespace prof::live {

// Looks at the program and at libraries with Python's name. `root` is put before their paths.
std::optional<python::InterpreterAddress> find_interpreter(
    pid_t pid, const std::vector<unwind::MapEvent>& maps, const std::string& root);

}  // namespace prof::live
