#include "collector/symbols/kernel_symbols.hpp"

#include <fstream>
#include <iterator>
#include <sstream>

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
KernelSymbols KernelSymbols::parse(const std::string& text) {
  KernelSymbols symbols;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::uint64_t address = 0;
    char type = 0;
    std::string name;
    if (!(fields >> std::hex >> address >> type >> name) || address == 0) continue;
    if (type == 't' || type == 'T' || type == 'w' || type == 'W')
      symbols.functions_.try_emplace(address, name);
  }
  return symbols;
}

std::string KernelSymbols::find(std::uint64_t address) const {
  const auto above = functions_.upper_bound(address);
  return above == functions_.begin() ? std::string() : std::prev(above)->second;
}

}  // namespace prof::symbols
