#include "injection/nvtx/capture/counted.hpp"

#include <cstring>

#include "common/wire/hash.hpp"
#include "injection/core/foreign_threads.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/nvtx/capture/trigger.hpp"
#include "injection/nvtx/levels.hpp"

namespace prof::nvtx::counted {

namespace {

// Returns the hash of the text, or 0 if there is none. The text is not sent to the collector.
std::uint64_t hash_of(const char* text) {
  return text != nullptr ? wire::hash_text(text, std::strlen(text)) : 0;
}
// Wide texts become UTF-8 only when they are sent.
std::uint64_t hash_of(const wchar_t* text) { return text != nullptr ? core::intern(text) : 0; }
std::uint64_t hash_of(const EventAttributes* attributes) {
  if (attributes == nullptr || attributes->size < sizeof(EventAttributes)) return 0;
  switch (attributes->message_type) {
    case kMessageAscii:
      return hash_of(attributes->message.ascii);
    case kMessageUnicode:
      return hash_of(attributes->message.unicode);
    case kMessageRegistered:
      return reinterpret_cast<std::uintptr_t>(attributes->message.registered);
    default:
      return 0;
  }
}

// True if the thread can have levels. Sets up its state.
bool has_levels(Domain domain) {
  if (!domain.recorded || !counts_steps() || !core::has_libc_pointer()) return false;
  core::set_up(core::t_state);
  return true;
}

int push_text(Domain domain, std::uint64_t text) {
  const bool is_step = is_trigger(domain, text) && enter_trigger();
  const int level = enter_level(domain);
  if (is_step) pushed(domain, level);
  return level;
}

}  // namespace

template <class Source>
int push(Domain domain, Source source) {
  return has_levels(domain) ? push_text(domain, hash_of(source)) : kNoPushPopTracking;
}
template int push(Domain, const char*);
template int push(Domain, const wchar_t*);
template int push(Domain, const EventAttributes*);

int push(Domain domain, const PayloadData* /*payloads*/, std::size_t /*count*/) {
  return has_levels(domain) ? enter_level(domain) : kNoPushPopTracking;
}

int pop(Domain domain) {
  if (!has_levels(domain)) return kNoPushPopTracking;
  const int level = leave_level(domain);
  popped_step(domain, level);
  return level;
}

int pop(Domain domain, const PayloadData* /*payloads*/, std::size_t /*count*/) {
  return pop(domain);
}

template <class Source>
RangeId start(Domain domain, Source source) {
  if (!has_levels(domain) || !is_trigger(domain, hash_of(source)) || !enter_trigger()) return 0;
  const RangeId id = new_range_id();
  started(id);
  return id;
}
template RangeId start(Domain, const char*);
template RangeId start(Domain, const wchar_t*);
template RangeId start(Domain, const EventAttributes*);

RangeId start(Domain /*domain*/, const PayloadData* /*payloads*/, std::size_t /*count*/) {
  return 0;
}

void end(Domain domain, RangeId id) {
  if (domain.recorded && id != 0) ended(id);
}

void end(Domain domain, RangeId id, const PayloadData* /*payloads*/, std::size_t /*count*/) {
  end(domain, id);
}

}  // namespace prof::nvtx::counted
