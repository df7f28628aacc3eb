#include "injection/nvtx/thinned.hpp"

#include "injection/core/clock.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/thinning/thinning.hpp"

namespace prof::nvtx::thinned {

namespace {

using core::RangeText;

// The id of a range that is left out. No other range has this id.
constexpr RangeId kLeftOut = RangeId{1} << 63;

// Texts of these kinds count as one, because their hash is not known before they are recorded.
RangeText text_of(const char* text) { return {text, 0}; }
RangeText text_of(const wchar_t*) { return {nullptr, 0}; }
RangeText text_of(const EventAttributes* attributes) {
  if (attributes == nullptr || attributes->size < sizeof(EventAttributes)) return {nullptr, 0};
  if (attributes->message_type == kMessageAscii) return {attributes->message.ascii, 0};
  if (attributes->message_type == kMessageRegistered)
    return {nullptr, reinterpret_cast<std::uintptr_t>(attributes->message.registered)};
  return {nullptr, 0};
}

// A range that begins a capture range is always recorded.
bool may_leave_out() { return core::g_process.config.capture.nvtx_range[0] == '\0'; }

// Returns clock units. Marks count with 1 us, and ranges that another thread may end with 100 us.
std::uint64_t clock_units(std::uint64_t us) {
  return us * (core::g_process.config.thinning_period / 10'000);
}

// Records that the next event of this type stands for several events.
void record_weight(std::uint32_t weight, wire::RecordType type) {
  if (weight > 1)
    core::append_here(wire::WeightRecord{core::header_of<wire::WeightRecord>(
        wire::RecordType::kWeight, weight, static_cast<std::uint8_t>(type))});
}

template <class Source>
constexpr wire::RecordType kPushType = wire::RecordType::kNvtxPush;
template <>
constexpr wire::RecordType kPushType<const EventAttributes*> = wire::RecordType::kNvtxPushEx;

}  // namespace

template <class Source>
int push(Domain domain, Source source) {
  std::uint64_t* const left_out = core::levels_left_out(domain.id);
  const std::uint32_t level =
      domain.id < core::kTrackedDomains ? core::t_state.push_depth[domain.id] : core::kLevels;
  std::uint32_t stream = core::kNoStream;
  if (!domain.recorded || level >= core::kLevels || !may_leave_out())
    return nvtx::push(domain, source);
  if (core::leaves_range_out(domain.id, text_of(source), stream)) {
    *left_out |= std::uint64_t{1} << level;
    ++core::t_state.push_depth[domain.id];
    return static_cast<int>(level);
  }
  const std::uint32_t weight = core::weight_of_range(stream);
  record_weight(weight, kPushType<Source>);
  if (stream != core::kNoStream)
    core::range_begins({core::now(), stream, weight, domain.id, level});
  return nvtx::push(domain, source);
}
template int push(Domain, const char*);
template int push(Domain, const wchar_t*);
template int push(Domain, const EventAttributes*);

namespace {

template <class Pop>
int pop_by(Domain domain, Pop pop) {
  std::uint64_t* const left_out = core::levels_left_out(domain.id);
  if (!domain.recorded || left_out == nullptr) return pop();
  std::uint16_t& depth = core::t_state.push_depth[domain.id];
  if (depth == 0 || depth > core::kLevels) return pop();
  const std::uint32_t level = depth - 1U;
  if ((*left_out >> level & 1) != 0) {
    *left_out &= ~(std::uint64_t{1} << level);
    return --depth;
  }
  const std::uint64_t end = core::now();
  const int result = pop();
  core::OpenRange range;
  if (core::take_open_range(domain.id, level, range))
    core::range_done(range.stream, range.weight, end - range.start, end);
  return result;
}

}  // namespace

int pop(Domain domain) {
  return pop_by(domain, [&] { return nvtx::pop(domain); });
}

int pop(Domain domain, const PayloadData* payloads, std::size_t count) {
  return pop_by(domain, [&] { return nvtx::pop(domain, payloads, count); });
}

template <class Source>
void mark(Domain domain, Source source) {
  std::uint32_t stream = core::kNoStream;
  if (!domain.recorded) return;
  if (may_leave_out() && core::leaves_range_out(domain.id, text_of(source), stream)) return;
  const std::uint64_t start = core::now();
  const std::uint32_t weight = core::weight_of_range(stream);
  record_weight(weight, wire::RecordType::kNvtxMark);
  nvtx::mark(domain, source);
  core::range_done(stream, weight, clock_units(1), start);
}
template void mark(Domain, const char*);
template void mark(Domain, const wchar_t*);
template void mark(Domain, const EventAttributes*);

template <class Source>
RangeId start(Domain domain, Source source) {
  std::uint32_t stream = core::kNoStream;
  if (!domain.recorded || !may_leave_out()) return nvtx::start(domain, source);
  if (core::leaves_range_out(domain.id, text_of(source), stream)) return kLeftOut;
  const std::uint64_t start = core::now();
  const std::uint32_t weight = core::weight_of_range(stream);
  record_weight(weight, wire::RecordType::kNvtxStart);
  const RangeId id = nvtx::start(domain, source);
  core::range_done(stream, weight, clock_units(100), start);
  return id;
}
template RangeId start(Domain, const char*);
template RangeId start(Domain, const wchar_t*);
template RangeId start(Domain, const EventAttributes*);

void end(Domain domain, RangeId id) {
  if (id != kLeftOut) nvtx::end(domain, id);
}

void end(Domain domain, RangeId id, const PayloadData* payloads, std::size_t count) {
  if (id != kLeftOut) nvtx::end(domain, id, payloads, count);
}

}  // namespace prof::nvtx::thinned
