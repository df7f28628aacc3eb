#include "collector/session/kernel/tracepoint_source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collector/sampler/running_tasks.hpp"

namespace prof::session {

using spool::KernelSource;

namespace {

constexpr const char* kNotRecorded = "Events of ftrace are not recorded";

// Returns the names of the chosen tracepoints, each once.
std::vector<std::string> chosen_names(const TracepointOptions& options, SpoolRecorder& recorder) {
  std::vector<std::string> wanted = options.names;
  if (options.adds_enabled)
    for (std::string& name : sampler::enabled_tracepoints()) wanted.push_back(std::move(name));
  std::vector<std::string> names;
  for (const std::string& each : wanted) {
    auto matching = sampler::matching_tracepoints(each);
    if (!matching)
      recorder.warn(fmt::format("{} ({}): {}", kNotRecorded, each, matching.error().message));
    for (std::string& name : matching.value_or(std::vector<std::string>()))
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  if (wanted.empty()) recorder.warn("--ftrace-keep-user-config: no event is enabled in ftrace");
  return names;
}

}  // namespace

TracepointSource::TracepointSource(const SessionContext& session) : recorder_(session.recorder) {
  const TracepointOptions& options = session.options.tracepoints;
  if (!options.is_any()) return;
  const std::vector<sampler::Tracepoint> found = find(chosen_names(options, recorder_));
  if (found.empty()) return;
  auto events = sampler::TracepointEvents::open(found);
  if (!events) {
    recorder_.warn(fmt::format("{}: {}", kNotRecorded, events.error().message));
    return;
  }
  events_ = std::move(*events);
  for (const int descriptor : events_->descriptors()) session.loop.watch_edges(descriptor);
  sampler::KernelRecordBuffer running;
  sampler::add_running_tasks(running);
  recorder_.kernel_records({spool::kNoCpu, KernelSource::kTracepoints}, running.bytes());
}

// Returns the tracepoints that exist, and notes them.
std::vector<sampler::Tracepoint> TracepointSource::find(const std::vector<std::string>& names) {
  std::vector<sampler::Tracepoint> found;
  spool::TracepointsNote note;
  for (const std::string& name : names) {
    auto tracepoint = sampler::find_tracepoint(name);
    if (!tracepoint) {
      recorder_.warn(fmt::format("{} ({}): {}", kNotRecorded, name, tracepoint.error().message));
      continue;
    }
    note.tracepoints.push_back({name, tracepoint->format});
    found.push_back(std::move(*tracepoint));
  }
  if (!found.empty()) recorder_.note(note);
  return found;
}

void TracepointSource::drain(bool in_range) {
  if (!events_) return;
  events_->drain([&](std::uint32_t cpu, std::span<const std::byte> records) {
    if (in_range) recorder_.kernel_records({cpu, KernelSource::kTracepoints}, records);
  });
}

void TracepointSource::finish(bool in_range) {
  if (!events_) return;
  drain(in_range);
  if (const std::uint64_t lost = events_->lost(); lost > 0)
    recorder_.note(spool::KernelLostNote{KernelSource::kTracepoints, lost});
  if (const std::uint64_t bytes = events_->corrupt_bytes(); bytes > 0)
    recorder_.diagnostic(spool::Severity::kError,
                         std::to_string(bytes) + " bytes of events of ftrace were damaged.");
}

}  // namespace prof::session
