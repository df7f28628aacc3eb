// A malicious cubin.
#include <algorithm>
#include <cstdint>
#include <span>

#include "common/code/cubin/cubin.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prof;
  const auto cubin = cubin::Cubin::read(std::as_bytes(std::span(data, size)));
  if (!cubin) return 0;
  std::size_t left = 32;  // so that many functions do not make a run slow
  for (const cubin::Function& each : cubin->functions()) {
    if (left-- == 0) break;
    if (cubin->find(each.name) == nullptr) __builtin_trap();
    for (std::uint64_t at = 0; at < std::min<std::uint64_t>(each.code.size(), 0x400); at += 16)
      if (cubin->frames(each, at).empty()) __builtin_trap();
    static_cast<void>(cubin->frames(each, ~std::uint64_t{0}));
  }
  return 0;
}
