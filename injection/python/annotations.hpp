// Shows functions of Python modules as NVTX ranges: --python-functions-trace, --pytorch.
//
// annotations.py does this in the program's interpreter. An audit hook, which may be set before
// there is an interpreter, executes it. So no variable, file or option of the program is changed.
#pragma once

namespace prof::python {

// Called before the interpreter is set up, while its process is being loaded.
void annotate_at_start();

}  // namespace prof::python
