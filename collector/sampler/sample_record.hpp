// A sample as perf records it: the instruction, the registers and a piece of the stack of a thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collector/sampler/perf_event.hpp"
#include "common/code/unwind/registers.hpp"

namespace prof::sampler {

// Which fields of a sample are recorded, besides the instruction, the ids and the time.
struct SampleFields {
  bool kernel_chain = false;  // record the kernel's frames
  bool user_chain = false;    // record the program's frames, by frame pointer
  // Size of the stack copy, which comes with all registers; 0: neither.
  std::uint32_t stack_bytes = 0;
};

// Makes the event record these fields.
void request(perf_event_attr& attributes, const SampleFields& fields);

struct Sample {
  RecordIds ids{};
  std::uint64_t address = 0;                // address of the instruction
  std::vector<std::uint64_t> kernel_chain;  // innermost first
  std::vector<std::uint64_t> user_chain;
  unwind::Registers registers;       // empty for a kernel thread, a 32-bit program, ...
  std::span<const std::byte> stack;  // from the stack pointer upwards; points into the record
};

// Overwrites `sample`, whose memory is reused. Returns false if the record is too short.
bool parse_sample(std::span<const std::byte> body, const SampleFields& fields, Sample& sample);

}  // namespace prof::sampler
