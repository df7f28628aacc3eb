// Records how threads wait for Python's global interpreter lock and hold it: -t python-gil.
#pragma once

namespace prof::python {

// Begins to watch the lock. Called before the interpreter is set up, because the first use of the
// lock shows the purpose of each condition variable.
void watch_gil();

}  // namespace prof::python
