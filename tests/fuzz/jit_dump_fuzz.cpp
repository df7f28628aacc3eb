// A malicious jitdump, and the code that it describes.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "common/code/symbols/jit_dump.hpp"
#include "common/code/unwind/jit_code.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prof;
  static const int file = memfd_create("jit", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  // A valid header, so that the rest is read.
  constexpr std::uint32_t kHeader[] = {0x4A695444, 1, 40, 62, 0, 1, 0, 0, 0, 0};
  // Written in two pieces, because a jitdump grows.
  const std::size_t first = size / 2;
  if (ftruncate(file, 0) != 0 || pwrite(file, kHeader, sizeof kHeader, 0) < 0 ||
      pwrite(file, data, first, sizeof kHeader) < 0)
    return 0;
  auto dump = symbols::JitDump::open(path, 0);
  if (!dump) __builtin_trap();
  unwind::JitCodes codes;
  const auto code = codes.of(1);
  symbols::JitLoad last;
  const symbols::JitDump::Sink sink{[&](symbols::JitLoad each) {
                                      if (each.size == 0 || each.name.size() > 4096)
                                        __builtin_trap();
                                      code->load(each.time, each.address, each.size,
                                                 codes.frames(each.eh_frame, each.size));
                                      last = std::move(each);
                                    },
                                    [&](const symbols::JitMove& each) { code->move(each); }};
  static_cast<void>(dump->read(sink));
  if (pwrite(file, data + first, size - first, static_cast<off_t>(sizeof kHeader + first)) < 0)
    return 0;
  static_cast<void>(dump->read(sink));
  for (std::uint64_t at = 0; at < std::min<std::uint64_t>(last.size, 64); ++at)
    static_cast<void>(code->rules(last.address + at, last.time));
  static_cast<void>(unwind::follow_straight_code(std::as_bytes(std::span(data, size))));
  return 0;
}
