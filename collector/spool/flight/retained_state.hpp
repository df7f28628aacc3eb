// The part of older records that a flight recorder keeps: everything that later records may refer
// to. Each segment is folded into it before the segment is dropped. Everything is kept once and has
// a limit, so that a session can last for weeks.
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

class RetainedState {
 public:
  // `most_bytes`: maximum size of definitions.
  explicit RetainedState(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  // Adds the part of a segment that must be kept. Segments come in their order.
  void fold(const Spool& segment);

  // True if the definitions take enough memory for shrink() to be worth it.
  bool is_large() const {
    return definitions_.bytes() > most_bytes_ &&
           (definitions_.bytes() > after_shrinking_ * 3 / 2 || folds_ >= kFoldsToRetry);
  }
  // Forgets definitions that `kept`, the records that are not folded yet, do not refer to. `lives`
  // says whether the definitions' threads are alive.
  using Visit = std::function<void(std::span<const std::byte> records)>;
  void shrink(const std::function<void(const Visit&)>& kept,
              const std::function<bool(pid_t pid, std::uint32_t tid)>& lives);
  std::uint64_t forgotten() const { return forgotten_; }

  base::Status write(SpoolWriter& to) const;

 private:
  // Number of folds after which shrinking is tried again: records may no longer refer to what they
  // referred to before.
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
  unsigned folds_ = 0;  // folds since the last shrinking
  std::uint64_t forgotten_ = 0;
  Definitions definitions_;
  OpenRanges open_ranges_;
  std::map<std::uint32_t, Process> processes_;  // processes that are alive, or whose children are
  std::map<std::pair<KernelSource, std::uint32_t>, KernelName> kernel_names_;  // by tid
  // Nodes of this generation and the one before, which the last records may still refer to.
  std::vector<std::pair<StackPieceHeader, std::vector<std::byte>>> nodes_;
  std::size_t generation_ = 0;       // where the last generation begins in `nodes_`
  std::vector<std::string> notes_;   // notes of types of which there are few
  std::set<std::string> texts_;      // texts of the diagnostics among `notes_`
  std::optional<ClockNote> clocks_;  // the last one
  std::vector<std::string> jit_notes_;
  std::size_t jit_bytes_ = 0;
};

}  // namespace prof::spool
