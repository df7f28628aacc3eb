// Functions of the running kernel, from /proc/kallsyms. Addresses are shown to privileged users
// only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace prof::symbols {

// Returns the id of this boot of the kernel. Addresses change with each boot.
std::string boot_id();

class KernelSymbols {
 public:
  // Reads the functions up to the address `highest`. Finds none if the kernel was booted again
  // since, or shows no addresses.
  static KernelSymbols of_this_boot(const std::string& boot_id, std::uint64_t highest);
  static KernelSymbols parse(std::string text);

  // Returns the name of the function at an address; empty if it is unknown.
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
