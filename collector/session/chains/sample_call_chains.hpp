// Call chains of the samples that processes take of themselves.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>

#include "collector/sampler/cpu_options.hpp"
#include "collector/session/chains/call_chain_context.hpp"
#include "collector/unwind/unwinder.hpp"
#include "injection/wire/sample_records.hpp"

namespace prof::session {

class SampleCallChains {
 public:
  // `stacks` outlives the object.
  SampleCallChains(CallChainContext& stacks, const sampler::CpuOptions& options);

  // The chain's innermost node, or 0. `time`: the record's, CLOCK_MONOTONIC_RAW. Neither the record
  // nor the stack is trusted.
  std::uint32_t node_of(std::uint32_t serial, sampler::ChainOwner owner, std::uint64_t time,
                        const wire::CpuSampleRecord& record, std::span<const std::byte> stack);

 private:
  CallChainContext& stacks_;
  sampler::ChainInterval turns_;
  unwind::Unwinder unwinder_;
  unwind::CallChain chain_;
};

}  // namespace prof::session
