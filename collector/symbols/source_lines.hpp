// Source files, lines and inlined functions of addresses, by DWARF. On demand and after the run: it
// maps the file with the debug sections, and parses what it is asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collector/base/result.hpp"

namespace prof::symbols {

struct SourceFrame {
  std::string function;  // demangled; empty if it is not known
  std::string file;      // empty if it is not known
  int line = 0;          // 0: not known
  bool is_inlined = false;
};

// One thread at a time.
class SourceLines {
 public:
  // Of the file, or of its debug file.
  static base::Result<SourceLines> open(const std::string& path,
                                        const std::vector<std::string>& debug_folders = {
                                            "/usr/lib/debug"});
  SourceLines(SourceLines&&) noexcept;
  SourceLines& operator=(SourceLines&&) noexcept;
  ~SourceLines();

  // The functions at that offset of the file, innermost first; the last one is not inlined. Empty
  // where nothing is known.
  std::vector<SourceFrame> at(std::uint64_t file_offset) const;

 private:
  struct Parsed;
  explicit SourceLines(std::unique_ptr<Parsed> parsed);
  std::unique_ptr<Parsed> parsed_;
};

}  // namespace prof::symbols
