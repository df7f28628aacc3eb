// The Python interpreter of this process: what is needed to look at its threads' stacks. Found by
// its dynamic symbols, in the executable or in libpython.
#pragma once

#include <cstdint>

#include "injection/python_frames/python_layout.hpp"

namespace prof::python {

struct Interpreter {
  python_frames::PythonLayout layout;
  std::uint64_t runtime;    // address of _PyRuntime
  std::uint64_t code_type;  // address of PyCode_Type
  // The thread state that this thread had first, and keeps while it does not hold the GIL. Reads
  // a thread-local variable.
  void* (*own_state)();
  // The one it runs in now, 3.12 and later: differs from the first in a subinterpreter. Reads a
  // thread-local variable; null in older versions, where it is the GIL holder's, whoever that is.
  void* (*current_state)();
};

// False where there is none, or one of a version that we do not know.
bool find_interpreter(Interpreter& found);

}  // namespace prof::python
