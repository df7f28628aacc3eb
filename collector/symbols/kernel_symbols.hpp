// Functions of the running kernel, as /proc/kallsyms shows them to those who may see addresses.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace prof::symbols {

// Identifies the run of the kernel; addresses change with each.
std::string boot_id();

class KernelSymbols {
 public:
  // Empty if the kernel was started anew since, or shows no addresses.
  static KernelSymbols of_this_boot(const std::string& boot_id);
  static KernelSymbols parse(const std::string& text);

  // Empty where nothing is known.
  std::string find(std::uint64_t address) const;

 private:
  std::map<std::uint64_t, std::string> functions_;
};

}  // namespace prof::symbols
