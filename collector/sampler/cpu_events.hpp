// Records samples of running threads, and when threads run and wait, with perf_event_open. The
// kernel copies registers and a piece of the stack. The collector makes call chains of them while
// the target runs. No code of prof runs in the target for that.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "collector/sampler/buffered_event.hpp"
#include "collector/sampler/call_chain_tree.hpp"
#include "collector/sampler/cpu_options.hpp"
#include "collector/sampler/kernel_record_buffer.hpp"
#include "collector/sampler/outer_stack.hpp"
#include "collector/sampler/sample_record.hpp"
#include "collector/sampler/tasks.hpp"
#include "common/base/result.hpp"
#include "common/code/unwind/address_spaces.hpp"

namespace prof::sampler {

class CpuEvents {
 public:
  // Gets the records of a CPU, in order.
  using Sink = std::function<void(std::uint32_t cpu, std::span<const std::byte>)>;

  // Returns why sampling is not possible here, and what would help. Empty if it is possible.
  static std::string obstacle(Scope scope);
  // True if samples would include time spent in the kernel, and kernel frames.
  static bool sees_kernel(Scope scope);

  // Opens events that record the tasks and their future children, or the whole system. `samples`,
  // `switches`: which of the two are recorded. Most of `options` is about samples. The references
  // outlive the object.
  static base::Result<CpuEvents> open(Scope scope, bool samples, bool switches, const Tasks& tasks,
                                      const CpuOptions& options, unwind::AddressSpaces& spaces,
                                      CallChainTree& chains);

  // Adds tasks to record.
  base::Status add(const Tasks& tasks);

  std::vector<int> descriptors() const;

  // Passes what has been recorded by now to `sink`, with at most one call per CPU. The call chains
  // are in the tree before that. Calls `before_unwinding` when the mappings are known.
  void drain(const Sink& sink, const std::function<void()>& before_unwinding);

  // Sets whether drains pass samples and context switches to the sink. Otherwise they drop them and
  // only follow the processes.
  void keep_samples(bool kept) { keeps_samples_ = kept; }

  // Applies the recorded changes of processes to the address spaces, and leaves the other records
  // to the next drain.
  void follow_changes() { apply_changes(); }

  // True if the hardware counts the sampling period, as --sampling-period asks. False if a clock
  // does.
  bool counts_cycles() const { return counts_cycles_; }
  // Returns how many records the kernel dropped because a buffer was full, if the kernel counts
  // them.
  std::uint64_t lost() const;
  std::uint64_t corrupt_bytes() const;

 private:
  struct Cpu {
    std::uint32_t number;
    BufferedEvent buffer;
    std::vector<base::UniqueFd> others = {};  // events that write into the same buffer
    std::uint64_t scanned = 0;                // position up to which changes have been read
  };
  // A change of a process or its mappings. Changes of all CPUs are applied in order of time.
  struct Change {
    std::uint64_t time;
    std::function<void()> apply;
  };

  CpuEvents(const CpuOptions& options, unwind::AddressSpaces& spaces, CallChainTree& chains)
      : options_(options),
        spaces_(&spaces),
        chains_(&chains),
        interval_(options),
        unwinder_({policy_of(options.backtrace)}) {}

  base::Status open_all(pid_t first);
  void apply_changes();
  void add_change(const PerfRecord& record);
  bool convert(const PerfRecord& record, std::uint64_t now);
  std::uint32_t call_chain_of(Sample& sample);
  void unwind(const Sample& sample, const unwind::ModuleMap& map);

  CpuOptions options_;
  perf_event_attr attributes_{};
  SampleFields fields_;
  bool counts_cycles_ = false;
  bool keeps_samples_ = true;
  unwind::AddressSpaces* spaces_;
  CallChainTree* chains_;
  ChainInterval interval_;
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
