// Code that JIT compilers make, as far as unwinding goes: where it is, and what is known of its
// frames.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/symbols/code_history.hpp"
#include "collector/symbols/jit_dump.hpp"
#include "collector/unwind/cfi_table.hpp"
#include "collector/unwind/straight_code.hpp"

namespace prof::unwind {

// Of one process. Times are of the caller's clock.
class JitCode {
 public:
  // Instructions that were read at one value of `round` are not believed at the next; it outlives
  // the object.
  JitCode(pid_t pid, const std::uint64_t& round) : pid_(pid), round_(round) {}

  // `frames`: its call frame information, in which it begins at kLinkedAt; null: none.
  void load(std::uint64_t time, std::uint64_t address, std::uint64_t size,
            std::shared_ptr<CfiTable> frames);
  void move(const symbols::JitMove& move);
  void end_all(std::uint64_t time) { history_.end_all(time); }
  // The process was forked from that one, and has its code.
  void inherit(const JitCode& parent, std::uint64_t time);
  void forget_before(std::uint64_t time) { history_.forget_before(time); }

  struct Rules {
    CfiTable& table;
    const FrameRules& rules;
  };
  // What call frame information says; none where there is none.
  std::optional<Rules> rules(std::uint64_t address, std::uint64_t time) const;
  // What the instructions themselves say, which are read from the process; null: nothing. Valid
  // until the next call.
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
  symbols::CodeHistory history_;  // values: positions in loaded_
  std::vector<Loaded> loaded_;
  std::unordered_map<std::uint64_t, std::optional<StraightFrame>> straight_;  // by address
};

// Of all processes.
class JitCodes {
 public:
  // One for each process, as long as somebody holds it.
  std::shared_ptr<JitCode> of(pid_t pid);

  // Both may come twice, from those who see the same thing in different ways.
  std::shared_ptr<JitCode> fork(pid_t parent, pid_t child, std::uint64_t time);
  void exec(pid_t pid, std::uint64_t time);
  // It maps that file executable, which is how a JIT compiler tells of a jitdump.
  void found_dump(pid_t pid, const std::string& path, std::uint64_t inode);

  // Tables are shared by all code that has the same information.
  std::shared_ptr<CfiTable> frames(symbols::Bytes eh_frame, std::uint64_t code_size);

  struct Dump {
    pid_t pid;
    std::string path;
    std::uint64_t inode;
  };
  bool has_found_dumps() const { return !dumps_.empty(); }
  // Since the last time.
  std::vector<Dump> take_dumps() { return std::exchange(dumps_, {}); }
  // Of a process with code; `parent` 0: it exec'ed, and the code is gone.
  struct Change {
    pid_t pid;
    pid_t parent;
    std::uint64_t time;
  };
  std::vector<Change> take_changes() { return std::exchange(changes_, {}); }

  // Lets go of code that ended before.
  void forget_before(std::uint64_t time);
  // Instructions may have become others.
  void begin_round() { ++round_; }

 private:
  void drop_unused();

  std::uint64_t round_ = 0;
  std::size_t most_codes_ = 256;  // before it is worth looking which are unused
  std::unordered_map<pid_t, std::weak_ptr<JitCode>> codes_;
  std::unordered_map<std::string, std::shared_ptr<CfiTable>> tables_;
  std::size_t table_bytes_ = 0;
  std::vector<Dump> dumps_;
  std::vector<Change> changes_;
};

}  // namespace prof::unwind
