// Shows operators of PyTorch as NVTX ranges with the arguments of each (--pytorch=operators), by
// callbacks of PyTorch's record functions. operators.py calls these functions when PyTorch has been
// imported, on the thread that imports it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "injection/python/operators/argument_text.hpp"
#include "injection/python/operators/layout_finder.hpp"

namespace prof::python {

// Begins the test of the layout. Returns false if this PyTorch lacks a function.
bool begin_layout_test();
void expect_call(KnownCall call, std::uint64_t first, std::uint64_t second);
// Ends the test. Returns false if something was not found.
bool end_layout_test();

// What operators.py has found out about tensors.
struct TensorLayout {
  std::size_t sizes;
  std::size_t type;
  std::uint64_t dense;
};
// Says that PyTorch's type of this number has this name.
void name_type(std::size_t number, const char* name);
// Begins to show operators, until the process ends. Only after a test that found everything.
void observe_operators(const TensorLayout& tensors);

}  // namespace prof::python
