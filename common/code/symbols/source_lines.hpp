// Finds source files, lines and inlined functions of addresses in DWARF. For use after the run: it
// maps the file with the debug sections, and parses only what is asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace prof::symbols {

struct SourceFrame {
  std::string function;  // demangled; empty: unknown
  std::string file;      // empty: unknown
  int line = 0;          // 0: unknown
  bool is_inlined = false;
};

// Only one thread may use an object at a time.
class SourceLines {
 public:
  // Opens the debug information in the file or in its debug file.
  static base::Result<SourceLines> open(const std::string& path,
                                        const std::vector<std::string>& debug_folders = {
                                            "/usr/lib/debug"});
  SourceLines(SourceLines&&) noexcept;
  SourceLines& operator=(SourceLines&&) noexcept;
  ~SourceLines();

  // Returns the functions at an offset of the file, innermost first. The last one is not inlined.
  // Empty if nothing is known.
  std::vector<SourceFrame> at(std::uint64_t file_offset) const;

 private:
  struct Parsed;
  explicit SourceLines(std::unique_ptr<Parsed> parsed);
  std::unique_ptr<Parsed> parsed_;
};

}  // namespace prof::symbols
