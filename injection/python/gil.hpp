// Shows how threads wait for Python's global interpreter lock and hold it: -t python-gil.
#pragma once

namespace prof::python {

// Called before the interpreter is set up: its first use of the lock shows which condition is
// which.
void watch_gil();

}  // namespace prof::python
