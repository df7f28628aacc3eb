// Reads perf's format "jitdump", in which a JIT compiler describes its code while the program runs.
// The compiler maps the file executable to announce it to profilers. The file is read while it
// grows. Its writer is not trusted. Numbers have the machine's byte order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/unique_fd.hpp"
#include "common/code/symbols/elf_image.hpp"

namespace prof::symbols {

// Code that was loaded at `time`.
struct JitLoad {
  std::uint64_t time = 0;  // on the file's clock
  std::uint64_t address = 0, size = 0;
  std::string name;
  Bytes eh_frame;  // linked after the code, at the next multiple of 8; may be empty
};

struct JitMove {
  std::uint64_t time = 0;
  std::uint64_t from = 0, to = 0, size = 0;
};

class JitDump {
 public:
  // True for a name like "/tmp/jit-1234.dump".
  static bool is_dump_name(std::string_view path);

  // Opens the file. Returns nothing if there is no such file, or if it has another inode (0: any
  // inode).
  static std::optional<JitDump> open(const std::string& path, std::uint64_t inode);

  struct Sink {
    std::function<void(JitLoad)> load;
    std::function<void(const JitMove&)> move;
  };
  // Passes the next complete records to `sink`, up to a limit. Returns false if there are more.
  bool read(const Sink& sink);

  // True if times are in ticks of the TSC, false if they are of CLOCK_MONOTONIC. Valid after the
  // first record.
  bool counts_tsc() const { return counts_tsc_; }
  // True if the file is damaged. It is not read any further.
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
