// A malicious line program in a valid cubin.
#include <cstdint>
#include <span>

#include "common/code/cubin/cubin.hpp"
#include "tests/fuzz/tiny_cubin.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prof;
  const std::span input(data, size);
  // The input is the opcodes, or the whole section.
  const bool is_section = size > 0 && data[0] == 0xff;
  const auto file = fuzz::tiny_cubin(is_section ? fuzz::CubinBytes(input.begin() + 1, input.end())
                                                : fuzz::line_program(input));
  const auto cubin = cubin::Cubin::read(std::as_bytes(std::span(file)));
  if (!cubin || cubin->functions().size() != 1) __builtin_trap();
  for (std::uint64_t at = 0; at < 0x400; at += 4) {
    const auto frames = cubin->frames(cubin->functions()[0], at);
    if (frames.empty() || frames.back().is_inlined) __builtin_trap();
  }
  return 0;
}
