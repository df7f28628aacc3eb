// Reads a cubin, the ELF file with the machine code of a GPU: its functions, and the source line
// with the inlined functions of each instruction. It needs neither a GPU nor NVIDIA's tools. The
// bytes are not trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/base/result.hpp"
#include "common/code/cubin/line_program.hpp"
#include "common/code/symbols/source_lines.hpp"

namespace prof::cubin {

struct Function {
  std::string_view name;  // mangled
  std::span<const std::byte> code;
  std::uint32_t section = 0;
  std::uint64_t symbol = 0;  // number of its symbol; 0: it has none
};

class Cubin {
 public:
  // Keeps views of `bytes`, so the caller must keep these.
  static base::Result<Cubin> read(std::span<const std::byte> bytes);

  // Returns the compute capability as one number, such as 90 for 9.0.
  int architecture() const { return architecture_; }
  // All functions with code, by name.
  const std::vector<Function>& functions() const { return functions_; }
  const Function* find(std::string_view name) const;
  bool has_lines() const { return lines_.size() > 0; }

  // Returns the functions at an offset in the code of a function, innermost first. The last one is
  // not inlined. It is a subroutine if the compiler put one into the code of `function`. A frame
  // has a line if the code was compiled with line information.
  std::vector<symbols::SourceFrame> frames(const Function& function, std::uint64_t offset) const;

 private:
  friend class CubinReader;
  struct Subroutine {
    std::uint32_t section = 0;
    std::uint64_t start = 0, end = 0;
    std::string_view name;
  };
  const Subroutine* subroutine_at(const Function& function, std::uint64_t offset) const;
  const std::string& demangled(std::string_view name) const;

  int architecture_ = 0;
  std::vector<Function> functions_;
  std::vector<Subroutine> subroutines_;  // by section and start
  std::span<const std::byte> names_;     // .debug_str
  LineProgram lines_;
  // Most instructions of a function have the same few names.
  mutable std::unordered_map<std::string_view, std::string> demangled_;
};

}  // namespace prof::cubin
