#include "collector/session/chains/sample_call_chains.hpp"

namespace prof::session {

using unwind::Stop;

SampleCallChains::SampleCallChains(CallChainContext& stacks, const sampler::CpuOptions& options)
    : stacks_(stacks), turns_(options), unwinder_({sampler::policy_of(options.backtrace)}) {}

std::uint32_t SampleCallChains::node_of(std::uint32_t serial, sampler::ChainOwner owner,
                                    std::uint64_t time, const wire::CpuSampleRecord& record,
                                    std::span<const std::byte> stack) {
  unwind::Registers registers;
  for (unsigned i = 0; i < wire::kSampledRegisters; ++i) registers.set(i, record.registers[i]);
  // Nobody tells of mappings here: another library may be where one was.
  stacks_.images.follow_unloading(serial);
  stacks_.images.refresh(serial);
  const unwind::ModuleMap* map = stacks_.images.find(serial);
  if (map == nullptr) return 0;
  if (turns_.next()) {
    unwinder_.unwind(*map, time, registers, {registers[unwind::kRsp], stack}, chain_);
  } else {
    chain_.frames.assign(1, {registers[unwind::kRip], unwind::UnwindMethod::kUnknown, true});
    chain_.stop = Stop::kComplete;
  }
  return stacks_.tree.add(owner, *map, time, {}, chain_);
}

}  // namespace prof::session
