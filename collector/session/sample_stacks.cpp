#include "collector/session/sample_stacks.hpp"

namespace prof::session {

using sampler::Backtrace;
using unwind::Stop;

namespace {

unwind::Policy policy_of(Backtrace backtrace) {
  if (backtrace == Backtrace::kDwarf) return unwind::Policy::kFrameInfo;
  if (backtrace == Backtrace::kFramePointer) return unwind::Policy::kFramePointer;
  return unwind::Policy::kAuto;
}

}  // namespace

SampleStacks::SampleStacks(CallStacks& stacks, const sampler::CpuOptions& options)
    : stacks_(stacks), options_(options), unwinder_({policy_of(options.backtrace)}) {}

bool SampleStacks::wants_chain() {
  if (options_.backtrace == Backtrace::kNone || ++since_backtrace_ < options_.samples_per_backtrace)
    return false;
  since_backtrace_ = 0;
  return true;
}

std::uint32_t SampleStacks::node_of(std::uint32_t serial, pid_t pid,
                                    const wire::CpuSampleRecord& record,
                                    std::span<const std::byte> stack) {
  unwind::Registers registers;
  for (unsigned i = 0; i < wire::kSampledRegisters; ++i) registers.set(i, record.registers[i]);
  const unwind::ModuleMap* map = nullptr;
  if (wants_chain()) {
    map = unwind(serial, registers, {registers[unwind::kRsp], stack});
  } else {
    map = stacks_.images.find(serial);
    chain_.frames.assign(1, {registers[unwind::kRip], unwind::UnwindMethod::kUnknown, true});
    chain_.stop = Stop::kComplete;
  }
  return map == nullptr ? 0 : stacks_.tree.add(pid, *map, 0, {}, chain_);
}

// Once more with what is mapped by now, if an address is not known.
const unwind::ModuleMap* SampleStacks::unwind(std::uint32_t serial,
                                              const unwind::Registers& registers,
                                              const unwind::StackSlice& stack) {
  const unwind::ModuleMap* map = stacks_.images.find(serial);
  for (int attempt = 0; map != nullptr && attempt < 2; ++attempt) {
    unwinder_.unwind(*map, 0, registers, stack, chain_);
    const bool is_unknown = chain_.stop == Stop::kBadReturnAddress || chain_.stop == Stop::kNoFrame;
    if (!is_unknown || !stacks_.images.refresh(serial)) break;
    map = stacks_.images.find(serial);
  }
  return map;
}

}  // namespace prof::session
