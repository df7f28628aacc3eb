// --python-functions-trace and --pytorch: what is to be shown of Python, as the program gets it
// (wire::kPythonAnnotationsName).
#pragma once

#include <string>

namespace prof::cli {

// `functions`: path of a JSON file in nsys's form, an array of objects (or one) with "module",
// "functions" (names, or objects with "function" and what is not as for the others), "domain",
// "color"; empty: none. `pytorch`: a comma-separated list of autograd-nvtx, autograd-shapes-nvtx,
// functions-trace, none. Returns an empty text if there is nothing to show. Throws Failure for what
// makes no sense.
std::string python_annotations(const std::string& functions, const std::string& pytorch);

}  // namespace prof::cli
