// Shows functions of Python modules as NVTX ranges: --python-functions-trace, --pytorch.
//
// annotations.py does it, in the program's interpreter. It gets there by an audit hook, which may
// be set before there is an interpreter: no variable, file or option of the program's is touched.
#pragma once

namespace prof::python {

// Before the interpreter is set up, as its process is being loaded.
void annotate_when_it_runs();

}  // namespace prof::python
