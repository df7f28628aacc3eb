#include "collector/symbols/kernel_symbols.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <utility>

namespace prof::symbols {

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

KernelSymbols KernelSymbols::of_this_boot(const std::string& boot) {
  if (boot.empty() || boot != boot_id()) return {};
  std::ifstream file("/proc/kallsyms");
  return parse(std::string(std::istreambuf_iterator<char>(file), {}));
}

// "ffffffff81000000 T startup_64\t[module]"
KernelSymbols KernelSymbols::parse(std::string text) {
  KernelSymbols symbols;
  symbols.text_ = std::move(text);
  const std::string_view whole = symbols.text_;
  for (std::size_t at = 0; at < whole.size();) {
    const std::string_view line = whole.substr(at, whole.find('\n', at) - at);
    std::uint64_t address = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), address, 16);
    const auto digits = static_cast<std::size_t>(end - line.data());
    // Without the right to see addresses, all of them are 0.
    if (error == std::errc{} && address != 0 && digits + 3 < line.size() &&
        std::string_view("tTwW").find(line[digits + 1]) != std::string_view::npos) {
      const std::size_t begin = digits + 3;
      const std::size_t stop = std::min(line.find('\t', begin), line.size());
      symbols.functions_.push_back({address, static_cast<std::uint32_t>(at + begin),
                                    static_cast<std::uint32_t>(stop - begin)});
    }
    at += line.size() + 1;
  }
  std::stable_sort(symbols.functions_.begin(), symbols.functions_.end(),
                   [](const Function& a, const Function& b) { return a.address < b.address; });
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
