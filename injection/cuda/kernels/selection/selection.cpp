#include "injection/cuda/kernels/selection/selection.hpp"

#include <atomic>
#include <cstring>

#include "common/wire/hash.hpp"
#include "injection/core/doors.hpp"
#include "injection/core/layout.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/cuda/kernels/selection/base_name.hpp"
#include "injection/cuda/kernels/selection/demangled_name.hpp"

namespace prof::cuda::kernels {

namespace {

// Bits of Entry::verdict.
constexpr std::uint32_t kKnown = 1;
constexpr std::uint32_t kNameMatches = 2;    // -k
constexpr std::uint32_t kIdNameMatches = 4;  // the name in --kernel-id

struct Entry {
  std::atomic<std::uint64_t> key;
  std::atomic<std::uint32_t> verdict;
  std::atomic<std::uint32_t> launches;
};

// A table of names or launch configurations. What does not fit shares the last entry.
constexpr std::uint64_t kEntries = 4096;
struct Table {
  Entry entries[kEntries];

  Entry& find(std::uint64_t key) {
    for (std::uint64_t i = 0; i < kEntries - 1; ++i) {
      Entry& entry = entries[(key + i) % (kEntries - 1)];
      std::uint64_t owner = entry.key.load(std::memory_order_relaxed);
      if (owner == key) return entry;
      if (owner == 0 && (entry.key.compare_exchange_strong(owner, key, std::memory_order_relaxed) ||
                         owner == key))
        return entry;
    }
    return entries[kEntries - 1];
  }
};
PROF_SELDOM constinit Table g_names{};
PROF_SELDOM constinit Table g_configurations{};
constexpr std::uint32_t kMaxGpus = 64;
PROF_SELDOM constinit std::atomic<std::uint64_t> g_matched_on[kMaxGpus]{};

std::atomic<std::uint64_t> g_launches;  // all
std::atomic<std::uint64_t> g_matched;   // that match -k
std::atomic<std::uint64_t> g_matched_id;

void put_base_name(const char* name, char* text, std::size_t size) {
  const TextRange part = base_name(name);
  const std::size_t length = part.length < size ? part.length : size - 1;
  std::memcpy(text, part.begin, length);
  text[length] = '\0';
}

// Compares the name with the plan, once for each name. A name that prof has not demangled in time
// is compared as it is.
[[gnu::noinline]] std::uint32_t look_at(const Plan& plan, const char* name, std::uint64_t hash) {
  char other[4096];
  const char* text = name;
  if (plan.base == NameBase::kFunction) put_base_name(name, other, sizeof other);
  if (plan.base == NameBase::kFunction ||
      (plan.base == NameBase::kDemangled && demangled_name(name, hash, other, sizeof other)))
    text = other;
  core::intern(name);
  core::append(wire::KernelSeenRecord{
      core::header_of<wire::KernelSeenRecord>(wire::RecordType::kKernelSeen), hash});
  return kKnown | (matches(plan.name, text) ? kNameMatches : 0) |
         (matches(plan.id_name, text) ? kIdNameMatches : 0);
}

bool has_id(const Plan& plan, const Launch& launch, std::uint32_t verdict) {
  if (!plan.has_id) return true;
  if ((verdict & kIdNameMatches) == 0) return false;
  if (plan.context != kAnyId && plan.context != launch.context) return false;
  if (plan.stream != kAnyId && plan.stream != launch.stream) return false;
  const std::uint64_t number = g_matched_id.fetch_add(1, std::memory_order_relaxed) + 1;
  return plan.invocation == 0 || plan.invocation == number;
}

std::uint64_t count_matching(const Plan& plan, const Launch& launch) {
  switch (plan.mode) {
    case FilterMode::kPerGpu:
      return g_matched_on[launch.device % kMaxGpus].fetch_add(1, std::memory_order_relaxed);
    case FilterMode::kPerLaunchConfig:
      return g_configurations.find(key_of(launch)).launches.fetch_add(1, std::memory_order_relaxed);
    case FilterMode::kGlobal:
      break;
  }
  return g_matched.fetch_add(1, std::memory_order_relaxed);
}

// The open ranges of the calling thread.
struct OpenRanges {
  static constexpr std::size_t kMost = 64;
  core::RangeAround ranges[kMost];
  std::size_t count = core::ranges_around(ranges, kMost);

  bool match(const RangePattern& pattern) const {
    std::uint64_t texts[kMost];
    std::size_t found = 0;
    for (std::size_t i = 0; i < count; ++i)
      if (ranges[i].domain == pattern.domain) texts[found++] = ranges[i].text;
    return matches(pattern, texts, found);
  }
  bool match(const RangePatterns& patterns) const {
    for (std::size_t i = 0; i < patterns.count; ++i)
      if (match(patterns.items[i])) return true;
    return false;
  }
};

bool is_in_ranges(const Plan& plan) {
  if (plan.include.count == 0 && plan.exclude.count == 0) return true;
  const OpenRanges open{};
  return (plan.include.count == 0 || open.match(plan.include)) && !open.match(plan.exclude);
}

}  // namespace

std::uint64_t key_of(const Launch& launch) {
  const std::int32_t words[] = {launch.grid[0],
                                launch.grid[1],
                                launch.grid[2],
                                launch.block[0],
                                launch.block[1],
                                launch.block[2],
                                static_cast<std::int32_t>(launch.shared)};
  return wire::hash_text(reinterpret_cast<const char*>(words), sizeof words);
}

Choice choose(const Plan& plan, const Launch& launch) {
  const std::uint64_t hash = wire::hash_text(launch.name, std::strlen(launch.name));
  Entry& entry = g_names.find(hash);
  std::uint32_t verdict = entry.verdict.load(std::memory_order_relaxed);
  if (verdict == 0) [[unlikely]] {
    verdict = look_at(plan, launch.name, hash);
    entry.verdict.store(verdict, std::memory_order_relaxed);
  }
  const Choice passed_over{false, entry.launches.fetch_add(1, std::memory_order_relaxed)};
  const std::uint64_t number = g_launches.fetch_add(1, std::memory_order_relaxed);
  if (number < plan.skip_before || (verdict & kNameMatches) == 0 || !is_in_ranges(plan) ||
      !has_id(plan, launch, verdict))
    return passed_over;
  const std::uint64_t matched = count_matching(plan, launch);
  const bool is_selected = matched >= plan.skip && matched - plan.skip < plan.count;
  return {is_selected, passed_over.invocation};
}

}  // namespace prof::cuda::kernels
