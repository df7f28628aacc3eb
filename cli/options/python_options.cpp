#include "cli/options/python_options.hpp"

#include <sstream>

#include "cli/failure.hpp"
#include "cli/options/python_annotations.hpp"
#include "cli/verbs/verb.hpp"

namespace prof::cli {

void PythonOptions::define(CLI::App& app) {
  const std::string group = "Python";
  app.add_option("--python-functions-trace", functions_,
                 "Show the functions of Python modules that this JSON file names as NVTX ranges; "
                 "[{\"module\": \"a.b\", \"functions\": [\"f\", \"Class.method\"], \"domain\": "
                 "\"mine\", \"color\": \"blue\"}]")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--pytorch", pytorch_,
                 "autograd-nvtx: show PyTorch's operations as NVTX ranges; autograd-shapes-nvtx: "
                 "with the shapes of their arguments; functions-trace: show modules' forward, "
                 "backward, optimizer steps, data loading, collectives; comma-separated")
      ->type_name("LIST")
      ->capture_default_str()
      ->group(group);
  app.add_option("--python-backtrace", backtrace_,
                 "Record the Python call chain of each CUDA API call (cuda), of OS-runtime calls "
                 "that take long enough (osrt), or both; comma-separated")
      ->type_name("cuda|osrt|none")
      ->capture_default_str()
      ->group(group);
  add_bool(app, "--python-sampling", sampling_,
           "Sample the call chains of Python threads that are at work")
      ->group(group);
  app.add_option("--python-sampling-frequency", frequency_, "So many times a second, 1 to 2000")
      ->type_name("HZ")
      ->check(CLI::Range(1U, 2000U))
      ->capture_default_str()
      ->group(group);
}

void PythonOptions::apply(session::SessionOptions& options) const {
  std::istringstream list(backtrace_);
  bool none = false;
  for (std::string event; std::getline(list, event, ',');) {
    if (event == "cuda")
      options.python_cuda_chains = true;
    else if (event == "osrt")
      options.python_osrt_chains = true;
    else if (event == "none" || event == "false")  // nsys takes both
      none = true;
    else
      throw Failure("--python-backtrace " + event + ": write cuda, osrt, both or none", kBadUsage);
  }
  const bool some = options.python_cuda_chains || options.python_osrt_chains;
  if (none == some)
    throw Failure("--python-backtrace " + backtrace_ + ": write cuda, osrt, both or none",
                  kBadUsage);
  options.python_annotations = python_annotations(functions_, pytorch_);
  // As in nsys: PyTorch's operations come as NVTX ranges of its own.
  if (pytorch_.find("autograd") != std::string::npos) options.trace_nvtx = true;
  options.python_frequency = sampling_ ? frequency_ : 0;
  if (options.python_cuda_chains && !options.trace_cuda)
    options.warnings.push_back("No Python call chains of CUDA calls: CUDA is not traced (-t cuda)");
  if (options.python_osrt_chains && !options.trace_osrt)
    options.warnings.push_back(
        "No Python call chains of OS-runtime calls: they are not traced (-t osrt)");
}

void PythonOptions::describe(std::vector<std::pair<std::string, std::string>>& rows) const {
  if (sampling_) rows.emplace_back("PYTHON_SAMPLING_OPTIONS:FREQUENCY", std::to_string(frequency_));
}

}  // namespace prof::cli
