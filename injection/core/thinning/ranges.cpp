// Thinning of NVTX ranges: the countdown of each text, and the open ranges.
#include <cstring>

#include "injection/core/clock.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/core/thinning/streams.hpp"

namespace prof::core {

namespace {

constexpr std::uint32_t kAnyText = 0;

constexpr std::uint32_t countdown_of(std::uint32_t name) { return kThinnedFunctions + name; }

// True if 16 bytes may be read here. They must not extend into the next page, which may not be
// mapped.
bool can_read_words(const char* text) {
  constexpr std::uintptr_t kPage = 4096;
  return (reinterpret_cast<std::uintptr_t>(text) & (kPage - 1)) <= kPage - 16;
}

// Reads beyond the end of the text, but not beyond its page.
__attribute__((no_sanitize("address"), always_inline)) inline bool begins_like(
    const RangeName& name, const char* text) {
  std::uint64_t words[2];
  __builtin_memcpy(words, text, sizeof words);
  return (((words[0] ^ name.words[0]) & name.masks[0]) |
          ((words[1] ^ name.words[1]) & name.masks[1])) == 0;
}

std::uint8_t& recent_of(ThreadStreams& of, std::uint32_t domain, RangeText text) {
  const std::uint64_t key =
      (text.text != nullptr ? reinterpret_cast<std::uintptr_t>(text.text) : text.hash) + domain;
  return of.recent[(key * 0x9e3779b97f4a7c15) >> 58];
}

// Returns the name that this text had last; 0 if it is another text or not known.
std::uint32_t find_quickly(ThreadStreams& of, std::uint32_t domain, RangeText text) {
  const std::uint32_t number = recent_of(of, domain, text);
  const RangeName& name = of.names[number];
  if (number == 0 || name.domain != domain) return 0;
  if (text.text == nullptr) return name.hash == text.hash ? number : 0;
  return name.is_whole && can_read_words(text.text) && begins_like(name, text.text) ? number : 0;
}

std::uint32_t find(ThreadStreams& of, std::uint32_t domain, RangeText text) {
  std::size_t length = 0;
  std::uint64_t hash = text.hash;
  if (text.text != nullptr) {
    length = std::strlen(text.text);
    hash = wire::hash_text(text.text, length);
  }
  std::uint32_t number = 1;
  while (number < of.names_used &&
         (of.names[number].hash != hash || of.names[number].domain != domain))
    ++number;
  if (number == kRangeTexts) return kAnyText;
  if (number == of.names_used) {
    ++of.names_used;
    RangeName& name = of.names[number];
    name = RangeName{};
    name.hash = hash;
    name.domain = domain;
    name.is_whole = text.text != nullptr && length < sizeof name.words;
    if (name.is_whole) {
      std::memcpy(name.words, text.text, length + 1);
      std::memset(name.masks, 0xff, length + 1);
    }
  }
  recent_of(of, domain, text) = static_cast<std::uint8_t>(number);
  return number;
}

}  // namespace

bool leaves_range_out(std::uint32_t domain, RangeText text, std::uint32_t& stream) {
  auto* of = reinterpret_cast<ThreadStreams*>(t_state.countdowns);
  stream = kNoStream;
  if (t_state.calls != kRecorded || of == nullptr) {
    streams_for_thread();
    return false;
  }
  std::uint32_t name = find_quickly(*of, domain, text);
  if (name == 0) {
    of = streams_for_thread();
    if (of == nullptr) return false;
    name = find(*of, domain, text);
  }
  if (--of->countdowns[countdown_of(name)].left >= 0) return true;
  stream = countdown_of(name);
  return false;
}

std::uint32_t weight_of_range(std::uint32_t stream) {
  ThreadStreams* of = streams_here();
  if (of == nullptr || stream == kNoStream) return 1;
  const std::uint32_t weight = weight_of(of->countdowns[stream]);
  draw(*of, stream);
  return weight;
}

void range_done(std::uint32_t stream, std::uint32_t weight, std::uint64_t duration,
                std::uint64_t written) {
  ThreadStreams* of = streams_here();
  if (of != nullptr && stream != kNoStream)
    account(*of, stream, weight, duration, written, wire::Thinned::kRanges, true);
}

std::uint64_t* levels_left_out(std::uint32_t domain) {
  auto* of = reinterpret_cast<ThreadStreams*>(t_state.countdowns);
  return of == nullptr || t_state.calls != kRecorded || domain >= kTrackedDomains
             ? nullptr
             : &of->left_out[domain];
}

void range_begins(const OpenRange& range) {
  ThreadStreams* of = streams_here();
  if (of == nullptr) return;
  // The array is full of ranges that ended on another thread, or never.
  if (of->open_used == kLevels) of->open_used = 0;
  of->open[of->open_used++] = range;
}

bool take_open_range(std::uint32_t domain, std::uint32_t level, OpenRange& range) {
  ThreadStreams* of = streams_here();
  if (of == nullptr) return false;
  for (std::uint32_t i = of->open_used; i-- > 0;) {
    if (of->open[i].domain != domain || of->open[i].level != level) continue;
    range = of->open[i];
    of->open[i] = of->open[--of->open_used];
    return true;
  }
  return false;
}

}  // namespace prof::core
