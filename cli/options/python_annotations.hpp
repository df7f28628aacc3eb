// Makes the text that says which Python functions the injection library shows as ranges
// (wire::kPythonAnnotationsName), from --python-functions-trace, --pytorch and -t python-gc.
#pragma once

#include <string>

namespace prof::cli {

// `functions` is the path of a JSON file in nsys's form, or empty. The file has one object, or an
// array of objects, with "module", "functions", "domain" and "color". An element of "functions" is
// a name, or an object with "function" and a separate "domain" and "color". `pytorch` is a
// comma-separated list of autograd-nvtx, autograd-shapes-nvtx, functions-trace,
// functions-trace-shapes, module-paths, operators and none. Returns an empty text if there is
// nothing to show. Throws Failure for a wrong file or list.
struct PythonMarks {
  bool steps = false;    // of PyTorch's training
  bool garbage = false;  // collections of garbage
};
std::string python_annotations(const std::string& functions, const std::string& pytorch,
                               PythonMarks marks);

}  // namespace prof::cli
