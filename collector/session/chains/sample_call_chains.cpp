#include "collector/session/chains/sample_call_chains.hpp"

namespace prof::session {

using unwind::Stop;

SampleCallChains::SampleCallChains(CallChainContext& chains, const sampler::CpuOptions& options)
    : chains_(chains), interval_(options), unwinder_({sampler::policy_of(options.backtrace)}) {}

std::uint32_t SampleCallChains::node_of(std::uint32_t serial, sampler::ChainOwner owner,
                                        std::uint64_t time, const wire::CpuSampleRecord& record,
                                        std::span<const std::byte> stack) {
  unwind::Registers registers;
  for (unsigned i = 0; i < wire::kSampledRegisters; ++i) registers.set(i, record.registers[i]);
  // No event announces a change of mappings here, and another library may have replaced the mapped
  // one.
  chains_.images.follow_unloading(serial);
  chains_.images.refresh(serial);
  const unwind::ModuleMap* map = chains_.images.find(serial);
  if (map == nullptr) return 0;
  if (map->find(registers[unwind::kProgramCounter], time) == nullptr &&
      chains_.images.refresh_for_unknown(serial))
    map = chains_.images.find(serial);
  if (interval_.is_due()) {
    unwinder_.unwind(*map, time, registers, {registers[unwind::kStackPointer], stack}, chain_);
  } else {
    chain_.frames.assign(
        1, {registers[unwind::kProgramCounter], unwind::UnwindMethod::kUnknown, true});
    chain_.stop = Stop::kComplete;
  }
  return chains_.tree.add(owner, *map, time, {}, chain_);
}

}  // namespace prof::session
