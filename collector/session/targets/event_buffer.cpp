#include "collector/session/targets/event_buffer.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "common/base/log.hpp"

namespace prof::session {

namespace {

// 64 MiB, which are prepared once this part of the present memory is in use. A program with a few
// threads needs none of it, and zeroing it takes 20 ms of a CPU that the program may be using.
constexpr spool::ChunkCounts kPrepared{8192, 512};
// 16 MiB, for processes that cannot add memory themselves (injection/core/record/arena_room.hpp).
constexpr spool::ChunkCounts kReady{2048, 128};
constexpr std::uint32_t kBusyPart = 16;

// Adds the numbers of dropped events of a process image. `read` reads the counter of a cause.
template <class Counters, class Read>
void add_drops(spool::Drops& drops, Counters& counters, Read read) {
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(wire::DropCause::kCount); ++i)
    if (const std::uint64_t count = read(counters[i]); count > 0)
      drops[spool::to_drop_cause(static_cast<wire::DropCause>(i))] += count;
}

}  // namespace

EventBuffer::EventBuffer(SpoolRecorder& recorder, const LiveProcesses& processes,
                         spool::Arena arena)
    : recorder_(recorder), processes_(processes), arena_(std::move(arena)), reader_(arena_) {
  if (recorder_.live_metrics() != nullptr) reader_.keep_order();
}

spool::Drops EventBuffer::take_drops(std::uint32_t slot) {
  spool::Drops drops;
  add_drops(drops, header().slots[slot].dropped,
            [](auto& counter) { return counter.exchange(0, std::memory_order_relaxed); });
  return drops;
}

void EventBuffer::report_open_drops() {
  if (recorder_.live_metrics() == nullptr) return;
  spool::Drops drops;
  processes_.for_each([&](const LiveProcess& process) {
    add_drops(drops, header().slots[process.slot].dropped,
              [](auto& counter) { return counter.load(std::memory_order_relaxed); });
  });
  recorder_.live_metrics()->set_open_drops(drops);
}

bool EventBuffer::is_time_for_counters() {
  constexpr auto kInterval = std::chrono::seconds(1);
  const auto now = std::chrono::steady_clock::now();
  if (now - last_counters_ < kInterval) return false;
  last_counters_ = now;
  return true;
}

// Makes drains wait until a process is known: call chains and live metrics need that. A fork child
// may write records between the reading of the arrivals and the drain; the next drain takes them.
std::uint64_t EventBuffer::drain(EventCallChains* chains) {
  if (!is_closed_ && (chains != nullptr || recorder_.live_metrics() != nullptr))
    reader_.wait_for([this](std::uint32_t serial) { return processes_.was_added(serial); });
  else
    reader_.wait_for({});
  is_header_damaged_ |= arena_.repair();
  header().drain_requested.store(0, std::memory_order_relaxed);
  if (chains != nullptr) chains->begin_drain();
  const bool all_counters = is_time_for_counters();
  if (all_counters) report_open_drops();
  const auto drained = reader_.drain(
      [&](const spool::PieceHeader& piece, std::span<const std::byte> bytes) {
        recorder_.records(piece, chains == nullptr ? bytes : chains->replace_stacks(piece, bytes));
        return base::Status();
      },
      all_counters);
  if (!drained) return 0;
  provide_room(drained->owned);
  return drained->bytes;
}

void EventBuffer::provide_room(const spool::ChunkCounts& owned) {
  for (const auto size : {wire::ChunkSize::kSmall, wire::ChunkSize::kLarge}) {
    const std::uint32_t before = arena_.backed()[size];
    // Prepares for a burst of threads. The steps are small, so that a process which waits for a
    // reply does not notice them.
    const bool wanted = header().room_wanted.load(std::memory_order_relaxed) != 0;
    if ((owned[size] * kBusyPart > before &&
         before < std::min(kPrepared[size], arena_.max()[size] / 4)) ||
        (wanted && before < std::min(kReady[size], arena_.max()[size])))
      arena_.grow_a_little(size);
    // Threads ask for a drain when a quarter is in use (injection/core/record/record_writer.cpp).
    while (owned[size] * 4 > arena_.backed()[size] && arena_.grow(size)) {
    }
    if (arena_.backed()[size] != before)
      base::log_debug("event buffer: {} of {} chunks of {} KiB in use, now {} backed", owned[size],
                      before, wire::chunk_bytes(size) / 1024, arena_.backed()[size]);
  }
}

void EventBuffer::close() {
  arena_.close_recording();
  is_closed_ = true;
}

void EventBuffer::report_damage() {
  if (is_header_damaged_)
    recorder_.diagnostic(spool::Severity::kError,
                         "A program overwrote the header of the event buffer.");
  if (reader_.corrupt_chunks() > 0)
    recorder_.diagnostic(spool::Severity::kError,
                         std::to_string(reader_.corrupt_chunks()) + " event buffers were damaged.");
}

}  // namespace prof::session
