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

// The environment at the start. libc moves it when a variable is added, and changes values in
// place.
constinit std::atomic<char* const*> g_first_environment{nullptr};
constinit std::atomic<bool> g_has_sent{false};

// Programs with more variables are cut: the number only limits the time that a damaged environment
// can take.
constexpr std::size_t kMaxVariables = 4096;

// Letters as bits; 0 for other characters.
constexpr std::uint32_t letter(char c) { return c >= 'A' && c <= 'Z' ? 1U << (c - 'A') : 0; }

// The second letters of the names in kRankVariables, by their first letters.
struct SecondLetters {
  std::uint32_t of[26]{};
  constexpr SecondLetters() {
    for (const char* name : wire::kRankVariables) of[name[0] - 'A'] |= letter(name[1]);
  }
};
constexpr SecondLetters kSecondLetters;

// False for most other variables, after two looks: every process of the program looks at all of its
// variables.
bool may_be_rank_variable(const char* variable) {
  return letter(variable[0]) != 0 &&
         (kSecondLetters.of[variable[0] - 'A'] & letter(variable[1])) != 0;
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
  g_has_sent.store(true, std::memory_order_relaxed);
  if (send_string(text) == 0) return;
  append(wire::RankVariableRecord{
      header_of<wire::RankVariableRecord>(wire::RecordType::kRankVariable), now(), hash});
}

bool is_wanted() { return g_process.arena != nullptr && g_process.config.sends_ranks != 0; }

}  // namespace

void send_rank_variables(char* const* environment) {
  if (!is_wanted() || environment == nullptr) return;
  g_first_environment.store(environment, std::memory_order_relaxed);
  for (std::size_t i = 0; i < kMaxVariables && environment[i] != nullptr; ++i)
    if (may_be_rank_variable(environment[i])) send_variable(environment[i]);
}

void send_current_rank_variables() {
  if (!is_wanted()) return;
  // Most programs have no such variables, and add none.
  if (environ == g_first_environment.load(std::memory_order_relaxed) &&
      !g_has_sent.load(std::memory_order_relaxed))
    return;
  Reader reader;
  char* const* environment = environ;
  for (std::size_t i = 0; i < kMaxVariables; ++i) {
    if (!reader.can_read(environment + i) || environment[i] == nullptr) return;
    const char* variable = environment[i];
    if (reader.can_read_text(variable) && may_be_rank_variable(variable)) send_variable(variable);
  }
}

void forget_rank_variables() {
  g_first_environment.store(nullptr, std::memory_order_relaxed);
  for (std::atomic<std::uint64_t>& each : g_sent) each.store(0, std::memory_order_relaxed);
}

}  // namespace prof::core
