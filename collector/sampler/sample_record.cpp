#include "collector/sampler/sample_record.hpp"

#include <algorithm>

#include "collector/sampler/machine/machine.hpp"
#include "collector/sampler/record_fields.hpp"

namespace prof::sampler {

namespace {

bool take_chain(std::span<const std::byte>& body, Sample& sample) {
  std::uint64_t count = 0;
  if (!take(body, count) || count > body.size() / sizeof count) return false;
  std::vector<std::uint64_t>* chain = nullptr;
  for (; count > 0; --count) {
    std::uint64_t address = 0;
    take(body, address);
    if (address < static_cast<std::uint64_t>(PERF_CONTEXT_MAX)) {
      if (chain != nullptr) chain->push_back(address);
    } else if (address == static_cast<std::uint64_t>(PERF_CONTEXT_KERNEL)) {
      chain = &sample.kernel_chain;
    } else {
      chain =
          address == static_cast<std::uint64_t>(PERF_CONTEXT_USER) ? &sample.user_chain : nullptr;
    }
  }
  return true;
}

bool take_registers(std::span<const std::byte>& body, unwind::Registers& registers) {
  std::uint64_t abi = PERF_SAMPLE_REGS_ABI_NONE;
  if (!take(body, abi)) return false;
  if (abi == PERF_SAMPLE_REGS_ABI_NONE) return true;
  for (const unwind::Register each : kRegisterOrder) {
    std::uint64_t value = 0;
    if (!take(body, value)) return false;
    if (abi == PERF_SAMPLE_REGS_ABI_64) registers.set(each, value);
  }
  return true;
}

// A sample's stack copy is {u64 size, `size` bytes, u64 number of bytes copied}. If the size is 0,
// nothing follows it.
bool take_stack(std::span<const std::byte>& body, std::span<const std::byte>& stack) {
  std::uint64_t room = 0;
  std::uint64_t copied = 0;
  if (!take(body, room) || room > body.size()) return false;
  if (room == 0) return true;
  stack = body.first(room);
  body = body.subspan(room);
  if (!take(body, copied)) return false;
  stack = stack.first(std::min<std::uint64_t>(copied, room));
  return true;
}

}  // namespace

void request(perf_event_attr& attributes, const SampleFields& fields) {
  attributes.sample_type |= PERF_SAMPLE_IP;
  if (fields.kernel_chain || fields.user_chain) {
    attributes.sample_type |= PERF_SAMPLE_CALLCHAIN;
    attributes.exclude_callchain_kernel = !fields.kernel_chain;
    attributes.exclude_callchain_user = !fields.user_chain;
  }
  if (fields.stack_bytes == 0) return;
  attributes.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
  attributes.sample_regs_user = kRegisterMask;
  attributes.sample_stack_user = fields.stack_bytes;
}

bool parse_sample(std::span<const std::byte> body, const SampleFields& fields, Sample& sample) {
  sample.kernel_chain.clear();
  sample.user_chain.clear();
  sample.registers = {};
  sample.stack = {};
  if (!take(body, sample.address) || !take(body, sample.ids)) return false;
  if ((fields.kernel_chain || fields.user_chain) && !take_chain(body, sample)) return false;
  if (fields.stack_bytes == 0) return true;
  return take_registers(body, sample.registers) && take_stack(body, sample.stack);
}

}  // namespace prof::sampler
