#include "cli/options/sampling_options.hpp"

#include <map>

namespace prof::cli {

using sampler::Backtrace;
using sampler::SamplingMethod;
using sampler::Scope;

namespace {

// "cpu" is the spelling of old versions of nsys.
const std::map<std::string, Scope> kScopes = {{"process-tree", Scope::kProcessTree},
                                              {"cpu", Scope::kProcessTree},
                                              {"system-wide", Scope::kSystem},
                                              {"none", Scope::kNone}};

const std::map<std::string, Backtrace> kBacktraces = {{"auto", Backtrace::kAuto},
                                                      {"fp", Backtrace::kFramePointer},
                                                      {"dwarf", Backtrace::kDwarf},
                                                      {"lbr", Backtrace::kAuto},
                                                      {"none", Backtrace::kNone}};

const std::map<std::string, SamplingMethod> kMethods = {{"auto", SamplingMethod::kAuto},
                                                        {"perf", SamplingMethod::kPerf},
                                                        {"timer", SamplingMethod::kTimer}};

template <class Value>
std::vector<std::string> names(const std::map<std::string, Value>& values) {
  std::vector<std::string> list;
  for (const auto& [name, value] : values) list.push_back(name);
  return list;
}

}  // namespace

void CpuOptions::define(CLI::App& app) {
  const std::string group = "CPU";
  app.add_option("-s,--sample", sample_,
                 "Sample what runs on the CPUs, with call chains: of the program and its children, "
                 "or of everything")
      ->type_name("process-tree|system-wide|none")
      ->check(CLI::IsMember(names(kScopes)))
      ->capture_default_str()
      ->group(group);
  app.add_option("--cpuctxsw", switches_, "Record when threads run and when they wait")
      ->type_name("process-tree|system-wide|none")
      ->check(CLI::IsMember({"process-tree", "system-wide", "none"}))
      ->capture_default_str()
      ->group(group);
  app.add_option("-b,--backtrace", backtrace_,
                 "How call chains of samples are made: call frame information (dwarf), frame "
                 "pointers (fp), the better of both (auto), or not at all")
      ->type_name("auto|fp|dwarf|lbr|none")
      ->check(CLI::IsMember(names(kBacktraces)))
      ->capture_default_str()
      ->group(group);
  app.add_option("--sampling-method", method_,
                 "Who takes the samples: the kernel (perf), the program itself by timers (timer), "
                 "or the kernel if it may (auto)")
      ->type_name("auto|perf|timer")
      ->check(CLI::IsMember(names(kMethods)))
      ->capture_default_str()
      ->group(group);
  app.add_option("--sampling-frequency", frequency_, "Samples a second of CPU time, 10 to 20000")
      ->type_name("HZ")
      ->check(CLI::Range(10U, 20000U))
      ->capture_default_str()
      ->group(group);
  app.add_option(
         "--sampling-period", period_,
         "Instead of a frequency: reference cycles of the CPU between two samples, 10000 or "
         "more")
      ->type_name("CYCLES")
      ->check(CLI::Range(std::uint64_t{10'000}, std::uint64_t{1} << 40))
      ->group(group);
  app.add_option("--samples-per-backtrace", samples_per_backtrace_,
                 "One call chain for so many samples, 1 to 32")
      ->type_name("N")
      ->check(CLI::Range(1U, 32U))
      ->capture_default_str()
      ->group(group);
  app.add_option("--sampling-stack-size", stack_bytes_,
                 "Bytes of stack that are copied with a sample; deeper frames are read from the "
                 "process afterwards")
      ->type_name("BYTES")
      ->check(CLI::Range(1024U, 65528U))
      ->capture_default_str()
      ->group(group);
}

void CpuOptions::apply(session::SessionOptions& options) const {
  options.cpu.samples = kScopes.at(sample_);
  options.cpu.switches = kScopes.at(switches_);
  options.cpu.backtrace = kBacktraces.at(backtrace_);
  options.cpu.method = kMethods.at(method_);
  options.cpu.frequency = frequency_;
  options.cpu.period = period_;
  options.cpu.samples_per_backtrace = samples_per_backtrace_;
  options.cpu.stack_bytes = stack_bytes_ & ~7U;  // the kernel takes multiples of 8 only
  if (backtrace_ == "lbr")
    options.warnings.push_back(
        "--backtrace=lbr: branch records are not read; call chains are made as with auto");
}

void CpuOptions::describe(std::vector<std::pair<std::string, std::string>>& rows) const {
  if (kScopes.at(sample_) == Scope::kNone) return;
  rows.emplace_back("CAPTURE_EVENT_TYPE", "SamplingEvents");
  rows.emplace_back("SAMPLING_OPTIONS:SCOPE", sample_);
  rows.emplace_back("SAMPLING_OPTIONS:BACKTRACE", backtrace_);
  if (period_ != 0)
    rows.emplace_back("SAMPLING_OPTIONS:PERIOD", std::to_string(period_));
  else
    rows.emplace_back("SAMPLING_OPTIONS:FREQUENCY", std::to_string(frequency_));
}

}  // namespace prof::cli
