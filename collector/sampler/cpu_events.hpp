// Samples of running threads, and when threads run and wait, from perf_event_open. The kernel
// copies registers and a piece of the stack; call chains are made from them here, while the target
// goes on. Nothing happens in the target.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "collector/base/result.hpp"
#include "collector/sampler/buffered_event.hpp"
#include "collector/sampler/cpu_options.hpp"
#include "collector/sampler/kernel_record_buffer.hpp"
#include "collector/sampler/outer_stack.hpp"
#include "collector/sampler/sample_record.hpp"
#include "collector/sampler/call_chain_tree.hpp"
#include "collector/unwind/address_spaces.hpp"

namespace prof::sampler {

class CpuEvents {
 public:
  // Records of a CPU, in order.
  using Sink = std::function<void(std::uint32_t cpu, std::span<const std::byte>)>;

  // Why it is not possible here, and what would help; empty if it is.
  static std::string obstacle(Scope scope);
  // Whether samples would have the kernel's part of the time, and of the chains.
  static bool sees_kernel(Scope scope);

  // Of a process that is waiting to exec and its future children, or of the system. `samples`,
  // `switches`: which of the two is wanted; the rest of `options` is about samples. The references
  // outlive the object.
  static base::Result<CpuEvents> open(Scope scope, bool samples, bool switches, pid_t pid,
                                      const CpuOptions& options, unwind::AddressSpaces& spaces,
                                      CallChainTree& stacks);

  std::vector<int> descriptors() const;

  // Hands what has been recorded by now to `sink`, at most one call a CPU. What the stacks need is
  // in the tree then. Calls `before_stacks` when it is known what is mapped, before it unwinds.
  void drain(const Sink& sink, const std::function<void()>& before_stacks);

  // By hardware counters as --sampling-period asks; else a clock was taken.
  bool counts_cycles() const { return counts_cycles_; }
  // Records that found their buffer full, as far as the kernel counts them.
  std::uint64_t lost() const;
  std::uint64_t corrupt_bytes() const;

 private:
  struct Cpu {
    std::uint32_t number;
    BufferedEvent buffer;
    std::uint64_t scanned = 0;  // up to where mappings and processes have been taken note of
  };
  // Of a process's life, in the order of their times over all CPUs.
  struct Change {
    std::uint64_t time;
    std::function<void()> apply;
  };

  CpuEvents(const CpuOptions& options, unwind::AddressSpaces& spaces, CallChainTree& stacks)
      : options_(options),
        spaces_(&spaces),
        stacks_(&stacks),
        turns_(options),
        unwinder_({policy_of(options.backtrace)}) {}

  base::Status open_all(perf_event_attr attributes, pid_t pid);
  void note_changes();
  void note(const PerfRecord& record);
  bool keep(const PerfRecord& record, std::uint64_t now);
  std::uint32_t stack_of(Sample& sample);
  void unwind(const Sample& sample, const unwind::ModuleMap& map);

  CpuOptions options_;
  SampleFields fields_;
  bool counts_cycles_ = false;
  unwind::AddressSpaces* spaces_;
  CallChainTree* stacks_;
  ChainInterval turns_;
  unwind::Unwinder unwinder_;
  OuterStack outer_;
  std::vector<Cpu> cpus_;
  std::vector<Change> changes_;
  KernelRecordBuffer records_;
  Sample sample_;
  unwind::CallChain chain_;
  std::uint64_t last_cleaning_ = 0;
};

}  // namespace prof::sampler
