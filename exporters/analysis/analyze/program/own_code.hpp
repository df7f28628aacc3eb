// Distinguishes the code that the user of a program wrote from the code that the program uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "exporters/analysis/analyze/program/cpu_facts.hpp"

namespace prof::analyze {

// True for the C library with its parts, such as libm, and for the dynamic linker.
bool is_c_library(std::string_view module);

// True for the program or the library that interprets Python code.
bool is_python_interpreter(const events::Function& function);

// True if the user of the program wrote the function, as far as names and paths show. It is not own
// code if it belongs to the kernel, a library of the system, Python or its packages, Go's
// libraries, headers of the system, or a program that runs code of its user (node). Another program
// that was installed (/usr/bin) is own code.
bool is_own_code(const events::Function& function);

// A function of the user, with the time of all that it calls.
struct OwnFunction {
  std::string text;  // "Dataset.parse (pipeline.py:15)": the line with the most time
  double part = 0;   // of the time of all samples
};

// Returns the functions of the user with the most time, at most `count`, the largest first.
// Functions that only pass the time on to another function of the user are left out: `main`, and
// the loop that calls everything.
std::vector<OwnFunction> top_own_functions(const CpuFacts& facts, std::size_t count);

}  // namespace prof::analyze
