#include "cli/options/recording/rank_options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "cli/messages/failure.hpp"
#include "cli/options/name_list.hpp"
#include "cli/options/option_kinds.hpp"
#include "common/base/text/exec_words.hpp"
#include "common/wire/rank_variables.hpp"

namespace prof::cli {

namespace {

constexpr const char* kSyntax =
    "write numbers and intervals of ranks (0,8-15), every Nth rank (%64), last, or all; local:… "
    "counts the ranks of a node, node:… the nodes";

std::optional<std::int64_t> number_in(std::string_view text) {
  const std::int64_t number = wire::rank_number(text.data(), text.size());
  return number < 0 ? std::nullopt : std::optional(number);
}

std::optional<std::int64_t> number_of_variable(const char* name) {
  const char* value = *name == '\0' ? nullptr : std::getenv(name);
  return value == nullptr ? std::nullopt : number_in(value);
}

}  // namespace

RankPlace own_rank_place() {
  const wire::RankSource* source = wire::find_rank_source(std::getenv);
  if (source == nullptr) return {};
  return {number_of_variable(source->rank), number_of_variable(source->size),
          number_of_variable(source->local_rank), number_of_variable(source->local_size),
          number_of_variable(source->node_rank)};
}

RankSelection::RankSelection(const std::string& text) {
  for (const std::string& word : split_names(text)) items_.push_back(item_of(word));
  if (items_.empty()) throw Failure(fmt::format("--ranks: no rank given: {}", kSyntax), kBadUsage);
}

RankSelection::Item RankSelection::item_of(const std::string& word) {
  const Failure wrong(fmt::format("--ranks {}: {}", word, kSyntax), kBadUsage);
  Item item{Number::kRank, Kind::kInterval, 0, INT64_MAX};
  std::string_view rest = word;
  if (rest.starts_with("local:")) item.number = Number::kLocalRank;
  if (rest.starts_with("node:")) item.number = Number::kNode;
  if (item.number != Number::kRank) rest.remove_prefix(rest.find(':') + 1);
  if (rest == "all") return item;
  if (rest == "last") {
    if (item.number == Number::kNode) throw wrong;  // launchers do not give the number of nodes
    item.kind = Kind::kLast;
    return item;
  }
  if (rest.starts_with('%')) {
    const auto divisor = number_in(rest.substr(1));
    if (!divisor || *divisor == 0) throw wrong;
    item.kind = Kind::kMultiples;
    item.first = *divisor;
    return item;
  }
  const std::size_t dash = rest.find('-');
  const auto first = number_in(rest.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : number_in(rest.substr(dash + 1));
  if (!first || !last || *last < *first) throw wrong;
  item.first = *first;
  item.last = *last;
  return item;
}

std::optional<bool> RankSelection::matches(const Item& item, const RankPlace& place) {
  const bool is_local = item.number == Number::kLocalRank;
  const auto number = item.number == Number::kNode ? place.node
                      : is_local                   ? place.local_rank
                                                   : place.rank;
  if (!number) return std::nullopt;
  switch (item.kind) {
    case Kind::kInterval:
      return item.first <= *number && *number <= item.last;
    case Kind::kMultiples:
      return *number % item.first == 0;
    case Kind::kLast: {
      const auto size = is_local ? place.local_size : place.size;
      if (!size) return std::nullopt;
      return *number == *size - 1;
    }
  }
  return std::nullopt;
}

std::optional<bool> RankSelection::has(const RankPlace& place) const {
  bool is_known = true;
  for (const Item& item : items_) {
    const std::optional<bool> match = matches(item, place);
    if (match && *match) return true;
    is_known = is_known && match.has_value();
  }
  return is_known ? std::optional<bool>(false) : std::nullopt;
}

void add_rank_options(CLI::App& app, std::string& ranks) {
  add_filled(app, "--ranks", ranks,
             "Record only these ranks of a job; the others run as without prof. 0,8-15: "
             "numbers and intervals; %64: every 64th; last: the last; local:0: the first of "
             "each node; node:0: all of the first node. Needs a launcher that sets variables "
             "(torchrun, mpirun, srun, …)")
      ->type_name("LIST");
}

bool is_selected_rank(const std::string& ranks, std::vector<std::string>& warnings) {
  if (ranks.empty()) return true;
  const RankPlace place = own_rank_place();
  const std::optional<bool> selected = RankSelection(ranks).has(place);
  if (!selected)
    warnings.push_back(fmt::format("--ranks {}: {}, so this process is recorded", ranks,
                                   place.rank
                                       ? "the launcher does not give all numbers that decide"
                                       : "no variable of a launcher gives this process a rank"));
  return selected.value_or(true);
}

void become_unrecorded(const std::vector<std::string>& command,
                       const session::SessionOptions& options) {
  if (!options.inherit_environment) clearenv();
  for (const auto& [name, value] : options.environment) setenv(name.c_str(), value.c_str(), 1);
  execvp(command[0].c_str(), base::exec_words(command).data());
  throw Failure(fmt::format("cannot run {}: {}", command[0], std::strerror(errno)));
}

}  // namespace prof::cli
