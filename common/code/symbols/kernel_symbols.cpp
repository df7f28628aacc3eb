#include "common/code/symbols/kernel_symbols.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "common/base/unique_fd.hpp"

namespace prof::symbols {

namespace {

// Modules and code that the kernel generates lie above this address.
constexpr std::uint64_t kKernelEnd = 0xffffffffc0000000;

// Reads up to 16 hexadecimal digits. Returns their number. For the two hundred thousand lines of a
// kernel, std::from_chars would take a large part of the time for a short program's report.
std::size_t take_hexadecimal(std::string_view line, std::uint64_t& number) {
  std::size_t digits = 0;
  for (const std::size_t most = std::min<std::size_t>(line.size(), 16); digits < most; ++digits) {
    const auto c = static_cast<unsigned char>(line[digits]);
    const unsigned digit = c <= '9' ? c - '0' : (c | 0x20U) - 'a' + 10U;
    if (digit > 15) break;
    number = number << 4 | digit;
  }
  return digits;
}

// Returns the address in the last whole line; 0 if there is none, or if the kernel hides it.
std::uint64_t last_address(std::string_view text) {
  const std::size_t end = text.rfind('\n');
  if (end == std::string_view::npos || end == 0) return 0;
  const std::size_t before = text.rfind('\n', end - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  std::uint64_t address = 0;
  take_hexadecimal(text.substr(begin, end - begin), address);
  return address;
}

}  // namespace

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

// The kernel makes each line when it is read, which takes 50 to 100 ms for all. The kernel's own
// symbols come first, sorted by address. So the lines after the highest address are left out,
// unless that address is above the kernel's own symbols.
KernelSymbols KernelSymbols::of_this_boot(const std::string& boot, std::uint64_t highest) {
  if (boot.empty() || boot != boot_id()) return {};
  const base::UniqueFd file(open("/proc/kallsyms", O_RDONLY | O_CLOEXEC));
  std::string text;
  char block[1 << 16];
  for (ssize_t bytes; (bytes = read(file.get(), block, sizeof block)) > 0;) {
    text.append(block, static_cast<std::size_t>(bytes));
    if (highest < kKernelEnd && last_address(text) > highest) break;
  }
  return parse(std::move(text));
}

// Parses lines like "ffffffff81000000 T startup_64\t[module]".
KernelSymbols KernelSymbols::parse(std::string text) {
  KernelSymbols symbols;
  symbols.text_ = std::move(text);
  const std::string_view whole = symbols.text_;
  for (std::size_t at = 0; at < whole.size();) {
    const std::string_view line = whole.substr(at, whole.find('\n', at) - at);
    std::uint64_t address = 0;
    const std::size_t digits = take_hexadecimal(line, address);
    // Without the right to see addresses, all addresses are 0.
    if (address != 0 && digits + 3 < line.size() &&
        std::string_view("tTwW").find(line[digits + 1]) != std::string_view::npos) {
      const std::size_t begin = digits + 3;
      const std::size_t stop = std::min(line.find('\t', begin), line.size());
      symbols.functions_.push_back({address, static_cast<std::uint32_t>(at + begin),
                                    static_cast<std::uint32_t>(stop - begin)});
    }
    at += line.size() + 1;
  }
  if (!std::ranges::is_sorted(symbols.functions_, {}, &Function::address))  // modules were read
    std::ranges::stable_sort(symbols.functions_, {}, &Function::address);
  return symbols;
}

std::string_view KernelSymbols::find(std::uint64_t address) const {
  const auto above = std::upper_bound(
      functions_.begin(), functions_.end(), address,
      [](std::uint64_t wanted, const Function& each) { return wanted < each.address; });
  if (above == functions_.begin()) return {};
  const Function& function = *std::prev(above);
  return std::string_view(text_).substr(function.begin, function.length);
}

}  // namespace prof::symbols
