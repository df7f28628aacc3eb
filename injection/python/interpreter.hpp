// Finds the Python interpreter of this process, and what is needed to read the frames of its
// threads. Uses the dynamic symbols of the executable or of libpython.
#pragma once

#include <cstdint>

#include "common/wire/python_frames/python_layout.hpp"

namespace prof::python {

struct Interpreter {
  python_frames::PythonLayout layout;
  std::uint64_t runtime;    // address of _PyRuntime
  std::uint64_t code_type;  // address of PyCode_Type
  // Returns the first thread state of this thread, which the thread keeps while it does not hold
  // the GIL. Reads a thread-local variable.
  void* (*own_state)();
  // Returns the current thread state (3.12 and later). In a subinterpreter it differs from the
  // first thread state. Reads a thread-local variable. Null in older versions, where the state
  // belongs to the thread that holds the GIL.
  void* (*current_state)();
};

// Returns false if there is no interpreter, or its version is not supported.
bool find_interpreter(Interpreter& found);

}  // namespace prof::python
