// A malicious target: its registers, its stack, and the call frame information of its file.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/code/demangle/demangle_function.hpp"
#include "common/code/symbols/symbol_table.hpp"
#include "common/code/unwind/unwinder.hpp"
#include "tests/fuzz/tiny_elf.hpp"

namespace {

// Takes bytes from the front.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : bytes_(data, size) {}
  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const std::uint8_t value = bytes_[0];
    bytes_ = bytes_.subspan(1);
    return value;
  }
  std::uint64_t word() {
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value = value << 8 | byte();
    return value;
  }
  std::vector<std::byte> take(std::size_t size) {
    size = std::min(size, bytes_.size());
    const auto taken = std::as_bytes(bytes_.first(size));
    bytes_ = bytes_.subspan(size);
    return {taken.begin(), taken.end()};
  }
  std::size_t left() const { return bytes_.size(); }

 private:
  std::span<const std::uint8_t> bytes_;
};

constexpr std::uint64_t kLoadedAt = 0x7f0000000000, kStackAt = 0x7ffc00000000;

// Numbers near the code and the stack reach more code than others.
std::uint64_t plausible(Input& input) {
  switch (input.byte() % 4) {
    case 0:
      return kLoadedAt + prof::fuzz::kCodeAt + input.byte();
    case 1:
      return kStackAt + input.byte();
    case 2:
      return input.byte();
    default:
      return input.word();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prof;
  using namespace prof::unwind;
  Input input(data, size);
  const std::uint8_t kind = input.byte();
  std::vector<std::byte> stack;
  for (std::size_t words = input.byte() % 32; words > 0; --words) {
    const std::uint64_t value = plausible(input);
    const auto bytes = std::as_bytes(std::span(&value, 1));
    stack.insert(stack.end(), bytes.begin(), bytes.end());
  }
  Registers registers;
  for (unsigned i = 0; i < kRegisterCount; ++i) registers.set(i, plausible(input));
  if ((kind & 1) != 0) registers.set(kRsp, kStackAt);
  if ((kind & 2) != 0) registers.set(kRip, kLoadedAt + fuzz::kCodeAt + kind);

  // The rest is .eh_frame (or .debug_frame), or the whole file.
  const std::vector<std::byte> rest = input.take(input.left());
  const std::vector<std::byte> file =
      (kind & 12) == 12 ? rest
                        : fuzz::tiny_elf(rest, (kind & 12) == 4 ? ".debug_frame" : ".eh_frame");
  auto image = symbols::ElfImage::copy(file);
  if (!image) return 0;
  static_cast<void>(image->build_id());
  static_cast<void>(image->debug_link());
  symbols::SymbolTable table;
  table.add(*image);
  table.add_perf_map({reinterpret_cast<const char*>(rest.data()), rest.size()});
  table.sort();
  for (const std::uint64_t address : registers.values)
    if (const auto* symbol = table.find(address))
      static_cast<void>(demangle::demangle_function(std::string(symbol->name)));
  Modules modules;
  ModuleMap map(modules);
  Mapping mapping;
  mapping.start = kLoadedAt;
  mapping.end = kLoadedAt + 0x10000;
  map.add_module(std::make_shared<Module>("fuzzed", std::move(*image)), mapping);
  CallChain chain;
  Unwinder unwinder({static_cast<Policy>((kind >> 4) % 3), 64});
  for (int round = 0; round < 2; ++round) {
    unwinder.unwind(map, 1, registers, {kStackAt, stack}, chain);
    if (chain.frames.empty() || chain.frames.size() > 64) __builtin_trap();
  }
  return 0;
}
