#include "cli/options/python_options.hpp"

#include <sstream>

#include "cli/messages/failure.hpp"
#include "cli/options/option_kinds.hpp"
#include "cli/options/python_annotations.hpp"
#include "cli/options/words/nsys_options.hpp"

namespace prof::cli {

namespace {

constexpr const char* kPythonGroup = "Python";

// Returns the feature bits of a list of --python-backtrace.
std::uint32_t parse_backtraces(const std::string& list) {
  if (list.empty()) return wire::kFeaturePythonCuda;  // as in nsys
  const auto refuse = [](const std::string& word) {
    throw Failure("--python-backtrace " + word + ": write cuda, osrt, cuda,osrt or none",
                  kBadUsage);
  };
  std::istringstream events(list);
  std::uint32_t features = 0;
  bool none = false;
  for (std::string event; std::getline(events, event, ',');) {
    if (event == "cuda")
      features |= wire::kFeaturePythonCuda;
    else if (event == "osrt")
      features |= wire::kFeaturePythonOsrt;
    else if (event == "none" || event == "false")  // nsys takes both
      none = true;
    else
      refuse(event);
  }
  if (none == (features != 0)) refuse(list);
  return features;
}

void add_ranges(CLI::App& app, session::PythonOptions& options) {
  app.add_option("--python-functions-trace", options.functions_file,
                 "Show the functions of Python modules that this JSON file names as NVTX ranges: "
                 "[{\"module\": \"a.b\", \"functions\": [\"f\", \"Class.method\"], \"domain\": "
                 "\"mine\", \"color\": \"blue\"}]")
      ->type_name("FILE")
      ->group(kPythonGroup);
  app.add_option("--pytorch", options.pytorch,
                 "What to record of PyTorch, comma-separated. autograd-nvtx: "
                 "operations. autograd-shapes-nvtx: operations with the shapes of their arguments. "
                 "functions-trace: modules' forward and backward, optimizer steps, data loading, "
                 "collectives. functions-trace-shapes: the same with sizes in the names. "
                 "module-paths: with the paths of modules in the names. operators: operations with "
                 "the shapes, types and values of their arguments. memory: what its allocators "
                 "hand out and take back")
      ->type_name("LIST")
      ->capture_default_str()
      ->group(kPythonGroup);
}

}  // namespace

void add_python_options(CLI::App& app, session::SessionOptions& options) {
  add_ranges(app, options.python);
  const auto take_backtraces = [&options](const std::string& list) {
    options.features |= parse_backtraces(list);
  };
  add_parsed(
      app, "--python-backtrace", take_backtraces,
      "Record the Python call chain of each CUDA API call (cuda), of OS-runtime calls that "
      "reach --osrt-backtrace-threshold (osrt), or both, comma-separated. Without a value: cuda")
      ->expected(0, 1)
      ->type_name("cuda|osrt|none")
      ->default_str("none")
      ->group(kPythonGroup);
  const auto take_sampling = [&options](const std::string& word) {
    options.python.samples = word != "false";
    options.python.samples_chosen = word == "true";
  };
  add_auto_bool(app, "--python-sampling", take_sampling,
                "Sample the call chains of Python threads that run or wait for a CPU. With auto, "
                "prof says nothing if there are none or it may not read them")
      ->group(kPythonGroup);
  app.add_option("--python-sampling-frequency", options.python.given_frequency,
                 "Samples per second (1 to 2000). Default: 1000 with --python-sampling=true, "
                 "otherwise 250")
      ->type_name("HZ")
      ->check(CLI::Range(1U, 2000U))
      ->group(kPythonGroup);
}

void resolve_python_ranges(session::SessionOptions& options) {
  session::PythonOptions& python = options.python;
  python.annotations =
      python_annotations(python.functions_file, python.pytorch,
                         {.steps = python.marks_steps, .garbage = python.marks_garbage});
  std::istringstream names(python.pytorch);
  for (std::string name; std::getline(names, name, ',');)
    if (find_nsys_value("--pytorch", name) != nullptr)
      options.warnings.push_back(note_on_value("--pytorch", name));
  // PyTorch emits these ranges itself, through NVTX, as with nsys. It may have to for operators.
  for (const char* word : {"autograd", "operators"})
    if (python.pytorch.find(word) != std::string::npos) options.features |= wire::kFeatureNvtx;
}

void resolve_python_call_chains(session::SessionOptions& options) {
  if (options.has(wire::kFeaturePythonCuda) && !options.has(wire::kFeatureCuda))
    options.warnings.push_back("No Python call chains of CUDA calls: CUDA is not traced (-t cuda)");
  if (options.has(wire::kFeaturePythonOsrt) && !options.has(wire::kFeatureOsrt))
    options.warnings.push_back(
        "No Python call chains of OS-runtime calls: they are not traced (-t osrt)");
}

}  // namespace prof::cli
