// Perf's format "jitdump": what a JIT compiler tells of its code while it runs, in a file that it
// maps executable, so that profilers learn of it. A file is read as it grows; its writer is not
// trusted. Multi-byte numbers are the machine's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collector/base/unique_fd.hpp"
#include "collector/symbols/elf_image.hpp"

namespace prof::symbols {

// Code that is there from `time` on.
struct JitLoad {
  std::uint64_t time = 0;  // on the file's clock
  std::uint64_t address = 0, size = 0;
  std::string name;
  Bytes eh_frame;  // as if it lay behind the code, at the next multiple of 8; empty: none
};

struct JitMove {
  std::uint64_t time = 0;
  std::uint64_t from = 0, to = 0, size = 0;
};

class JitDump {
 public:
  // Is that the name of such a file ("/tmp/jit-1234.dump")?
  static bool is_name_of_one(std::string_view path);

  // None where that is no file, or one with another inode (0: any will do).
  static std::optional<JitDump> open(const std::string& path, std::uint64_t inode);

  struct Sink {
    std::function<void(JitLoad)> load;
    std::function<void(const JitMove&)> move;
  };
  // Hands over what is there by now, and whole: a bounded number of records at a time. False: more
  // are there.
  bool read(const Sink& sink);

  // Else times are of CLOCK_MONOTONIC. Known once a record has been read.
  bool counts_tsc() const { return counts_tsc_; }
  // It made no sense from some point on, and is not read any further.
  bool is_corrupt() const { return is_corrupt_; }

 private:
  explicit JitDump(base::UniqueFd file) : file_(std::move(file)) {}
  bool read_header();
  bool read_record(const Sink& sink);
  void take_load(std::uint64_t time, std::span<const std::byte> body, const Sink& sink);
  void take_frames(std::span<const std::byte> body);
  std::span<const std::byte> bytes(std::uint64_t offset, std::size_t size);

  base::UniqueFd file_;
  std::uint64_t offset_ = 0;  // of the next record
  bool counts_tsc_ = false;
  bool is_corrupt_ = false;
  Bytes eh_frame_;  // for the next load
  Bytes window_;    // a piece of the file
  std::uint64_t window_at_ = 0;
};

}  // namespace prof::symbols
