#include "collector/session/chains/jit_dumps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "collector/session/admission/process_facts.hpp"
#include "common/base/proc_file.hpp"
#include "common/base/raw_time.hpp"

namespace prof::session {

using symbols::JitDump;
using symbols::JitLoad;
using symbols::JitMove;
using unwind::JitCodes;

namespace {

constexpr std::size_t kMaxOpen = 256;
constexpr std::uint64_t kMaxCodes = std::uint64_t{1} << 21;
constexpr std::int64_t kClockInterval = 1'000'000'000;

}  // namespace

void JitDumps::Clock::add(std::uint64_t time, std::uint64_t raw) {
  const spool::ClockTriple reading{time, static_cast<std::int64_t>(raw), 0};
  // The present reading replaces the last one until the last one is a second after the one before.
  if (readings_.size() >= 2 &&
      readings_.back().monotonic - readings_[readings_.size() - 2].monotonic < kClockInterval)
    readings_.back() = reading;
  else
    readings_.push_back(reading);
}

// Interpolates between the two readings around `time`, or extrapolates from the nearest two if they
// are far enough apart.
std::uint64_t JitDumps::Clock::raw(std::uint64_t time) const {
  constexpr std::int64_t kFarApart = 100'000'000;
  if (readings_.empty()) return time;
  auto after = std::ranges::lower_bound(readings_, time, {}, &spool::ClockTriple::ticks);
  if (after == readings_.end()) --after;
  double rate = ns_per_tick_;
  const auto other = after == readings_.begin() ? readings_.end() - 1 : after - 1;
  if (std::abs(after->monotonic - other->monotonic) >= kFarApart)
    rate = static_cast<double>(after->monotonic - other->monotonic) /
           static_cast<double>(static_cast<std::int64_t>(after->ticks - other->ticks));
  const auto since = static_cast<double>(static_cast<std::int64_t>(time - after->ticks));
  return static_cast<std::uint64_t>(after->monotonic + static_cast<std::int64_t>(since * rate));
}

void JitDumps::read(SpoolRecorder& recorder) {
  for (const JitCodes::Dump& found : codes_.take_dumps()) open(found, recorder);
  write_changes(recorder);
  if (open_.empty()) return;
  read_clocks();
  std::erase_if(open_, [&](Open& each) {
    const bool is_over = has_ended(each.code->pid());  // checked before the last read
    return read(each, recorder) && is_over;
  });
}

// Opens the path in the file system that the process sees, because the process may run in a
// container, or else in prof's own.
void JitDumps::open(const JitCodes::Dump& found, SpoolRecorder& recorder) {
  const auto is_same = [&](const Open& each) {
    return each.code->pid() == found.pid && each.inode == found.inode;
  };
  if (std::ranges::any_of(open_, is_same)) return;
  if (open_.size() >= kMaxOpen) {
    if (!std::exchange(limit_reported_, true))
      recorder.diagnostic(
          spool::Severity::kWarning,
          fmt::format("More than {} jitdumps were written at a time; prof does not read the rest.",
                      kMaxOpen));
    return;
  }
  auto dump = JitDump::open(base::proc_path(found.pid, "root") + found.path, found.inode);
  if (!dump) dump = JitDump::open(found.path, found.inode);
  if (!dump)
    return recorder.diagnostic(
        spool::Severity::kWarning,
        fmt::format("The jitdump {} of process {} cannot be read.", found.path, found.pid));
  if (open_.empty()) read_clocks();
  open_.push_back({codes_.of(found.pid), found.inode, std::move(*dump)});
}

void JitDumps::read_clocks() {
  monotonic_.add(base::clock_ns(CLOCK_MONOTONIC), base::raw_time());
  const spool::ClockTriple now = spool::read_clocks(true);
  tsc_.add(now.ticks, static_cast<std::uint64_t>(now.monotonic));
}

std::uint64_t JitDumps::raw(const Open& each, std::uint64_t time) const {
  return (each.dump.counts_tsc() ? tsc_ : monotonic_).raw(time);
}

// Returns false if there is more to read.
bool JitDumps::read(Open& each, SpoolRecorder& recorder) {
  spool::JitCodeNote note{each.code->pid(), {}};
  const auto load = [&](JitLoad code) {
    if (++codes_written_ > kMaxCodes) return;
    const std::uint64_t time = raw(each, code.time);
    note.code.push_back({time, code.address, code.size, code.name, {}});
    each.code->load(time, code.address, code.size,
                    codes_.frames(std::move(code.eh_frame), code.size));
  };
  const auto move = [&](JitMove moved) {
    if (++codes_written_ > kMaxCodes) return;
    moved.time = raw(each, moved.time);
    note.code.push_back({moved.time, moved.to, moved.size, {}, moved.from});
    each.code->move(moved);
  };
  const bool is_all = each.dump.read({load, move});
  if (!note.code.empty()) recorder.note(note);
  if (each.dump.is_corrupt() && !std::exchange(each.was_corrupt, true))
    recorder.diagnostic(spool::Severity::kWarning,
                        fmt::format("The jitdump of process {} is damaged; its rest was not read.",
                                    each.code->pid()));
  return is_all;
}

void JitDumps::write_changes(SpoolRecorder& recorder) {
  for (const JitCodes::Change& each : codes_.take_changes())
    recorder.note(spool::JitProcessNote{each.pid, each.parent, each.time});
}

}  // namespace prof::session
