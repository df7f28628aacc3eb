#include "exporters/analysis/analyze/program/waits/sampled_calls.hpp"

#include "exporters/analysis/analyze/program/waits/places.hpp"

namespace prof::analyze {

namespace {

// True if the sample is in a system call. Page faults and interrupts are in the kernel, too, but
// not in a system call.
bool is_in_system_call(const CodeProfile& profile, events::CallTree::Node node) {
  for (; node != events::CallTree::kNone; node = profile.tree.parent(node)) {
    const events::Function& function = profile.code.function_of(profile.tree.frame(node));
    if (function.kind != events::CodeKind::kKernel) return false;
    if (function.name.starts_with("entry_SYSCALL") || function.name.starts_with("do_syscall"))
      return true;
  }
  return false;
}

std::map<std::string, SampledCalls> sum_up(const CpuFacts& facts) {
  std::map<std::string, SampledCalls> result;
  if (!facts.native) return result;
  const CodeProfile& profile = *facts.native;
  for (const CodeProfile::Sample& sample : profile.samples) {
    const std::string_view function = called_function(profile, sample.node);
    if (function.empty()) continue;
    SampledCalls& calls = result[std::string(function)];
    calls.share += sample.share;
    if (is_in_system_call(profile, sample.node)) calls.in_kernel += sample.share;
    const CodeProfile::Sample* python = python_sample_near(facts, sample.thread, sample.time);
    calls.places[python != nullptr ? place_text(*facts.python, python->node)
                                   : place_text(profile, sample.node)] += sample.share;
  }
  return result;
}

}  // namespace

const std::map<std::string, SampledCalls>& sampled_calls(CpuFacts& facts) {
  if (!facts.sampled_calls) facts.sampled_calls = sum_up(facts);
  return *facts.sampled_calls;
}

}  // namespace prof::analyze
