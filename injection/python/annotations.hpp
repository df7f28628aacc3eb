// Shows functions of Python modules as NVTX ranges: --python-functions-trace, --pytorch.
//
// annotations.py does this in the program's interpreter. An audit hook executes it; such a hook can
// be set before the interpreter exists. So no variable, file or option of the program is changed.
#pragma once

namespace prof::python {

// Sets the hook. Called before the interpreter is set up, while its process is being loaded.
void annotate_at_start();

}  // namespace prof::python
