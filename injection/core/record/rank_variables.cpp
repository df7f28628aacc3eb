#include "injection/core/record/rank_variables.hpp"

#include <unistd.h>

#include <atomic>
#include <cstring>

#include "common/wire/hash.hpp"
#include "common/wire/rank_variables.hpp"
#include "injection/core/clock.hpp"
#include "injection/core/layout.hpp"
#include "injection/core/readable.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/strings.hpp"

namespace prof::core {

namespace {

// The hash of the text that was sent for each variable; 0: none.
PROF_SELDOM std::atomic<std::uint64_t> g_sent[wire::kNumRankVariables];

// Programs with more variables are cut: the number only limits the time that a damaged environment
// can take.
constexpr std::size_t kMaxVariables = 4096;

// The first letters of the names in kRankVariables, a bit for each.
constexpr std::uint32_t first_letters() {
  std::uint32_t letters = 0;
  for (const char* name : wire::kRankVariables) letters |= 1U << (name[0] - 'A');
  return letters;
}
constexpr std::uint32_t kFirstLetters = first_letters();

// False for most other variables, after one look.
bool may_be_rank_variable(char first) {
  return first >= 'A' && first <= 'Z' && (kFirstLetters >> (first - 'A') & 1) != 0;
}

void send_variable(const char* variable) {
  // A longer text has no value that is sent.
  char text[128];
  const std::size_t length = strnlen(variable, sizeof text);
  if (length == sizeof text) return;
  std::memcpy(text, variable, length);
  text[length] = '\0';
  const std::size_t index = wire::rank_variable_of(text, length);
  if (index == wire::kNumRankVariables) return;
  const std::uint64_t hash = wire::hash_text(text, length);
  if (g_sent[index].exchange(hash, std::memory_order_relaxed) == hash) return;
  if (send_string(text) == 0) return;
  append(wire::RankVariableRecord{
      header_of<wire::RankVariableRecord>(wire::RecordType::kRankVariable), now(), hash});
}

bool is_wanted() { return g_process.arena != nullptr && has_feature(wire::kFeatureRanks); }

}  // namespace

void send_rank_variables(char* const* environment) {
  if (!is_wanted() || environment == nullptr) return;
  for (std::size_t i = 0; i < kMaxVariables && environment[i] != nullptr; ++i)
    if (may_be_rank_variable(environment[i][0])) send_variable(environment[i]);
}

void send_current_rank_variables() {
  if (!is_wanted()) return;
  Reader reader;
  char* const* environment = environ;
  for (std::size_t i = 0; i < kMaxVariables; ++i) {
    if (!reader.can_read(environment + i) || environment[i] == nullptr) return;
    const char* variable = environment[i];
    if (!reader.can_read(variable) || !may_be_rank_variable(variable[0])) continue;
    if (reader.can_read_text(variable)) send_variable(variable);
  }
}

void forget_rank_variables() {
  for (std::atomic<std::uint64_t>& each : g_sent) each.store(0, std::memory_order_relaxed);
}

}  // namespace prof::core
