// Makes call chains of the samples that processes take of themselves.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>

#include "collector/sampler/cpu_options.hpp"
#include "collector/session/chains/call_chain_context.hpp"
#include "common/code/unwind/unwinder.hpp"
#include "common/wire/sample_records.hpp"

namespace prof::session {

class SampleCallChains {
 public:
  // `chains` outlives the object.
  SampleCallChains(CallChainContext& chains, const sampler::CpuOptions& options);

  // Returns the innermost node of the call chain, or 0. `time`: of the record, CLOCK_MONOTONIC_RAW.
  // The record and the stack are not trusted.
  std::uint32_t node_of(std::uint32_t serial, sampler::ChainOwner owner, std::uint64_t time,
                        const wire::CpuSampleRecord& record, std::span<const std::byte> stack);

 private:
  CallChainContext& chains_;
  sampler::ChainInterval interval_;
  unwind::Unwinder unwinder_;
  unwind::CallChain chain_;
};

}  // namespace prof::session
