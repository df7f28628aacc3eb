// Functions of the running kernel, as /proc/kallsyms shows them to those who may see addresses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace prof::symbols {

// Identifies the run of the kernel; addresses change with each.
std::string boot_id();

class KernelSymbols {
 public:
  // Empty if the kernel was started anew since, or shows no addresses.
  static KernelSymbols of_this_boot(const std::string& boot_id);
  static KernelSymbols parse(std::string text);

  // Empty where nothing is known.
  std::string_view find(std::uint64_t address) const;

 private:
  struct Function {
    std::uint64_t address;
    std::uint32_t begin, length;  // of the name in text_
  };
  std::string text_;
  std::vector<Function> functions_;  // by address
};

}  // namespace prof::symbols
