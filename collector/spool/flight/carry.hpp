// What a flight recorder keeps of records that are older than the last seconds: all that later
// records may refer to. Each segment is folded into it before it is dropped. Everything is kept
// once and has a limit, so that a session can last for weeks.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collector/spool/definitions.hpp"
#include "collector/spool/flight/open_ranges.hpp"
#include "collector/spool/notes.hpp"
#include "collector/spool/spool.hpp"

namespace prof::spool {

class Carry {
 public:
  // `most_bytes`: of definitions.
  explicit Carry(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  // Takes what has to be kept of a segment. Segments come in their order.
  void fold(const Spool& segment);

  // Does it take enough memory for shrink() to be worth it?
  bool is_large() const {
    return definitions_.bytes() > most_bytes_ &&
           (definitions_.bytes() > after_shrinking_ * 3 / 2 || folds_ >= kFoldsToRetry);
  }
  // Forgets definitions that `kept`, the records which are not folded yet, do not refer to. Their
  // threads live if `lives` says so.
  using Visit = std::function<void(std::span<const std::byte> records)>;
  void shrink(const std::function<void(const Visit&)>& kept,
              const std::function<bool(pid_t pid, std::uint32_t tid)>& lives);
  std::uint64_t forgotten() const { return forgotten_; }

  base::Status write(SpoolWriter& to) const;

 private:
  // What records referred to when it was shrunk last, they may not refer to any more.
  static constexpr unsigned kFoldsToRetry = 16;

  void fold_notes(const Notes& notes);
  void fold_ends(const Notes& notes);
  void fold_nodes(std::span<const StackPiece> pieces);
  void fold_names(std::span<const KernelPiece> pieces);
  void add_jit(std::string note);

  struct KernelName {
    KernelRecord record;
    KernelThreadName name;
  };
  struct Process {
    ProcessNote note;
    bool has_ended = false;
  };

  std::size_t most_bytes_;
  std::size_t after_shrinking_ = 0;
  unsigned folds_ = 0;  // since then
  std::uint64_t forgotten_ = 0;
  Definitions definitions_;
  OpenRanges open_ranges_;
  std::map<std::uint32_t, Process> processes_;  // that live, or whose children do
  std::map<std::pair<KernelSource, std::uint32_t>, KernelName> kernel_names_;  // by tid
  // Of this generation and the one before, which the last records may still refer to.
  std::vector<std::pair<StackPieceHeader, std::vector<std::byte>>> nodes_;
  std::size_t generation_ = 0;      // where the last one begins in `nodes_`
  std::vector<std::string> notes_;  // of which there are few
  std::set<std::string> texts_;     // of diagnostics among them
  std::vector<std::string> jit_notes_;
  std::size_t jit_bytes_ = 0;
};

}  // namespace prof::spool
