// --ranks: which ranks of a job are recorded. The other ranks run as without prof.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

// The place of a process in a job, as its launcher gives it. What the launcher does not give is
// empty.
struct RankPlace {
  std::optional<std::int64_t> rank, size, local_rank, local_size, node;
};

// Returns the place of this process, by the first launcher in wire::kRankSources that gives one.
RankPlace own_rank_place();

// The value of --ranks: "0,8-15,%64,local:0,last".
class RankSelection {
 public:
  // Throws Failure if the text is not a selection.
  explicit RankSelection(const std::string& text);

  // Returns whether a process is selected. Empty: its launcher does not give the numbers that
  // decide.
  std::optional<bool> has(const RankPlace& place) const;

 private:
  enum class Number : std::uint8_t { kRank, kLocalRank, kNode };
  enum class Kind : std::uint8_t { kInterval, kMultiples, kLast };

  struct Item {
    Number number;
    Kind kind;
    std::int64_t first, last;  // of an interval; first: the divisor of multiples
  };

  static Item item_of(const std::string& word);
  static std::optional<bool> matches(const Item& item, const RankPlace& place);

  std::vector<Item> items_;
};

void add_rank_options(CLI::App& app, std::string& ranks);

// Returns true if this process is to be recorded. Adds a warning if that cannot be decided.
// An empty text selects all ranks.
bool is_selected_rank(const std::string& ranks, std::vector<std::string>& warnings);

// Becomes the program, with the environment of --env-var and --inherit-environment. Nothing of prof
// is loaded. Throws Failure if the program cannot be run.
[[noreturn]] void become_unrecorded(const std::vector<std::string>& command,
                                    const session::SessionOptions& options);

}  // namespace prof::cli
