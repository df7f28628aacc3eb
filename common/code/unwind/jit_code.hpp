// The code that JIT compilers make: its place, and its call frame information.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/code/symbols/code_history.hpp"
#include "common/code/symbols/jit_dump.hpp"
#include "common/code/unwind/cfi_table.hpp"
#include "common/code/unwind/straight_code.hpp"

namespace prof::unwind {

// The code of one process. Times are of the caller's clock.
class JitCode {
 public:
  // `round` changes when instructions may have changed; then cached frames are dropped. `round`
  // must outlive the object.
  JitCode(pid_t pid, const std::uint64_t& round) : pid_(pid), round_(round) {}

  // Adds code. `frames` is its call frame information, linked at kLinkedAt; null if there is none.
  void load(std::uint64_t time, std::uint64_t address, std::uint64_t size,
            std::shared_ptr<CfiTable> frames);
  void move(const symbols::JitMove& move);
  void end_all(std::uint64_t time) { history_.end_all(time); }
  // Copies the code of the process that this one was forked from.
  void inherit(const JitCode& parent, std::uint64_t time);
  void forget_before(std::uint64_t time) { history_.forget_before(time); }

  struct Rules {
    CfiTable& table;
    const FrameRules& rules;
  };
  // Returns the rules of the call frame information, if there is any.
  std::optional<Rules> rules(std::uint64_t address, std::uint64_t time) const;
  // Derives a frame from the instructions, which are read from the process. Returns null if that is
  // impossible. Valid until the next call.
  const StraightFrame* straight_frame(std::uint64_t address);

  pid_t pid() const { return pid_; }
  bool is_empty() const { return history_.is_empty(); }
  std::uint64_t forked_at() const { return forked_at_; }

 private:
  struct Loaded {
    std::uint64_t address;
    std::shared_ptr<CfiTable> frames;
  };
  std::optional<StraightFrame> read_straight_frame(std::uint64_t address) const;

  pid_t pid_;
  const std::uint64_t& round_;
  std::uint64_t straight_round_ = 0;
  std::uint64_t forked_at_ = 0;
  symbols::CodeHistory history_;  // its values are indexes in loaded_
  std::vector<Loaded> loaded_;
  std::unordered_map<std::uint64_t, std::optional<StraightFrame>> straight_;  // by address
};

// The code of all processes.
class JitCodes {
 public:
  // Returns the code of a process. It exists as long as a caller holds it.
  std::shared_ptr<JitCode> of(pid_t pid);

  // Reports a fork or an exec. Two sources may report the same one.
  std::shared_ptr<JitCode> fork(pid_t parent, pid_t child, std::uint64_t time);
  void exec(pid_t pid, std::uint64_t time);
  // Reports that the process mapped this file executable, as JIT compilers do to announce a
  // jitdump.
  void found_dump(pid_t pid, const std::string& path, std::uint64_t inode);

  // Makes a table of call frame information. Code with the same information shares one table.
  std::shared_ptr<CfiTable> frames(symbols::Bytes eh_frame, std::uint64_t code_size);

  struct Dump {
    pid_t pid;
    std::string path;
    std::uint64_t inode;
  };
  bool has_found_dumps() const { return !dumps_.empty(); }
  // Returns the dumps found since the last call.
  std::vector<Dump> take_dumps() { return std::exchange(dumps_, {}); }
  // A fork of a process with code, or an exec (`parent` is 0), which ends the code of the process.
  struct Change {
    pid_t pid;
    pid_t parent;
    std::uint64_t time;
  };
  std::vector<Change> take_changes() { return std::exchange(changes_, {}); }

  // Releases code that ended before `time`.
  void forget_before(std::uint64_t time);
  // Call it when instructions may have changed since the last round.
  void begin_round() { ++round_; }

 private:
  void drop_unused();

  std::uint64_t round_ = 0;
  std::size_t max_codes_ = 256;  // above this number, unused code is removed
  std::unordered_map<pid_t, std::weak_ptr<JitCode>> codes_;
  std::unordered_map<std::string, std::shared_ptr<CfiTable>> tables_;
  std::size_t table_bytes_ = 0;
  std::vector<Dump> dumps_;
  std::vector<Change> changes_;
};

}  // namespace prof::unwind
