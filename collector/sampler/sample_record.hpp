// A sample as perf records it: where a thread was, its registers and a piece of its stack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collector/sampler/perf_event.hpp"
#include "collector/unwind/registers.hpp"

namespace prof::sampler {

// What of a sample's fields is recorded, besides the instruction, the ids and the time.
struct SampleFields {
  bool kernel_chain = false;      // the kernel's frames
  bool user_chain = false;        // the program's, by frame pointer
  std::uint32_t stack_bytes = 0;  // copied stack, with all registers; 0: neither
};

// Sets what the event has to record for that.
void request(perf_event_attr& attributes, const SampleFields& fields);

struct Sample {
  RecordIds ids{};
  std::uint64_t address = 0;                // of the instruction
  std::vector<std::uint64_t> kernel_chain;  // innermost first
  std::vector<std::uint64_t> user_chain;
  unwind::Registers registers;       // none known: of a kernel thread, a 32-bit program, ...
  std::span<const std::byte> stack;  // from the stack pointer upwards; lies in the record
};

// False if the record is too short. Overwrites `sample`, whose memory is used again.
bool parse_sample(std::span<const std::byte> body, const SampleFields& fields, Sample& sample);

}  // namespace prof::sampler
