// Shows how threads wait for Python's global interpreter lock and hold it: -t python-gil.
#pragma once

namespace prof::python {

// Before the interpreter is set up: the first that takes its lock tells which is which.
void watch_gil();

}  // namespace prof::python
