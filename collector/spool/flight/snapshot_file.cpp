#include "collector/spool/flight/snapshot_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "collector/spool/blocks.hpp"
#include "collector/spool/clock_model.hpp"
#include "common/base/mapped_file.hpp"
#include "common/wire/records.hpp"

namespace prof::spool {

using base::fail;
using base::Status;

namespace {

constexpr std::size_t kMaxCauses = 20;

using Metadata = std::vector<std::pair<std::string, std::string>>;

// The mapped files and their clocks.
struct Content {
  std::vector<base::MappedFile> files;  // the retained state comes first
  std::vector<ClockTriple> clocks;
  std::optional<SessionNote> session;
  bool is_damaged = false;
};

base::Result<Content> read_content(const FlightFiles& from) {
  Content content;
  const auto add = [&](const base::UniqueFd& fd) -> Status {
    auto file = base::MappedFile::map(fd.get(), "a segment of the flight recorder");
    if (!file) return tl::make_unexpected(file.error());
    const auto spool = Spool::parse(file->bytes());
    if (!spool) {
      content.is_damaged = true;
      content.files.emplace_back();
      return {};
    }

    content.clocks.insert(content.clocks.end(), spool->clocks.begin(), spool->clocks.end());
    if (!content.session) content.session = spool->notes.first<SessionNote>();
    content.files.push_back(std::move(*file));
    return {};
  };
  if (Status added = add(from.retained); !added) return tl::make_unexpected(added.error());
  for (const base::UniqueFd& segment : from.segments)
    if (Status added = add(segment); !added) return tl::make_unexpected(added.error());
  if (content.clocks.empty()) return fail("the flight recorder had not begun");
  return content;
}

Status write_edge(SpoolWriter& to, wire::CaptureEvent event, std::uint64_t time) {
  const wire::CaptureRecord record{
      {sizeof record, wire::RecordType::kCapture, 0, static_cast<std::uint32_t>(event)}, time};
  return to.records({}, std::as_bytes(std::span(&record, 1)));
}

void describe(const std::vector<SnapshotCause>& causes, const ClockModel& clock, std::int64_t begin,
              Metadata& rows) {
  for (std::size_t i = 0; i < std::min(causes.size(), kMaxCauses); ++i) {
    const SnapshotCause& cause = causes[i];
    const auto add = [&](const char* name, std::string value) {
      rows.emplace_back(fmt::format("FLIGHT_RECORDER:{}_{}", name, i), std::move(value));
    };
    add("TRIGGER", cause.trigger);
    add("CAUSE", cause.text);
    if (cause.time != 0) add("TIME_NS", std::to_string(clock.to_ns(cause.time) - begin));
    if (cause.pid != 0) add("PID", std::to_string(cause.pid));
    if (cause.tid != 0) add("TID", std::to_string(cause.tid));
  }
  if (causes.size() > kMaxCauses)
    rows.emplace_back("FLIGHT_RECORDER:MORE_CAUSES", std::to_string(causes.size() - kMaxCauses));
}

// Returns the reading of the session's clock at a time of the timeline, to the precision of the
// clock's readings.
std::uint64_t ticks_at(const ClockModel& clock, std::uint64_t low, std::uint64_t high,
                       std::int64_t ns) {
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (clock.to_ns(middle) < ns)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

struct Window {
  std::uint64_t begin;
  std::uint64_t end;
  double missing;  // s; the part of the window that is older than what is kept
};

Window window_of(const Content& content, const ClockModel& clock, std::uint64_t window,
                 std::uint64_t end, bool has_dropped) {
  const std::uint64_t oldest = content.clocks.front().ticks;
  const std::int64_t wanted = clock.to_ns(end) - static_cast<std::int64_t>(window);
  const std::int64_t kept = clock.to_ns(oldest);
  if (wanted <= kept)
    return {oldest, end, has_dropped ? static_cast<double>(kept - wanted) / 1e9 : 0};
  return {ticks_at(clock, oldest, end, wanted), end, 0};
}

bool has_dropped(const Content& content) {
  const auto retained = Spool::parse(content.files.front().bytes());
  return retained && retained->notes.first<FlightNote>().value_or(FlightNote{}).folded != 0;
}

Status copy_blocks(SpoolWriter& to, const Content& content) {
  Status status;
  for (const base::MappedFile& file : content.files) {
    std::span<const std::byte> run;  // consecutive blocks
    walk_blocks(file.bytes(), [&](const FoundBlock& each) {
      if (!run.empty() && run.data() + run.size() == each.block.data()) {
        run = {run.data(), run.size() + each.block.size()};
        return;
      }
      if (status) status = to.blocks(run);
      run = each.block;
    });
    if (status) status = to.blocks(run);
  }
  return status;
}

Status write_content(SpoolWriter& to, const Content& content, SnapshotContent&& what) {
  const ClockModel clock(content.clocks, what.session.tick_rate);
  const Window window = window_of(content, clock, what.window, what.end, has_dropped(content));
  what.session.capture_ranges = true;
  what.session.capture_ranges_numbered = false;
  what.session.capture.emplace_back("FLIGHT_RECORDER:WINDOW_NS", std::to_string(what.window));
  describe(what.causes, clock, clock.to_ns(window.begin), what.session.capture);
  if (window.missing > 0.01)
    what.remarks.push_back(fmt::format(
        "The memory of the flight recorder was full, so the report begins {:.1f} s later than "
        "requested. More memory: --flight-recorder=TIME,SIZE.",
        window.missing));
  if (content.is_damaged)
    what.remarks.emplace_back("Parts of the flight recording were damaged and are left out.");
  Status status = to.note(what.session);
  const auto then = [&](auto&& next) {
    if (status) status = next();
  };
  for (const SnapshotCause& cause : what.causes)
    then([&] {
      return to.note(DiagnosticNote{cause.severity, cause.text,
                                    cause.time == 0 ? std::nullopt : std::optional(cause.time)});
    });
  for (const std::string& remark : what.remarks)
    then([&] { return to.note(DiagnosticNote{Severity::kWarning, remark, {}}); });
  // The edges come before the rest, because the end in the rest makes the recording a complete one.
  then([&] { return write_edge(to, wire::CaptureEvent::kBegin, window.begin); });
  then([&] { return write_edge(to, wire::CaptureEvent::kEnd, window.end); });
  then([&] { return copy_blocks(to, content); });
  return status;
}

}  // namespace

Status write_snapshot(SpoolWriter& to, const FlightFiles& from, SnapshotContent what) {
  const auto content = read_content(from);
  if (!content) return tl::make_unexpected(content.error());
  return write_content(to, *content, std::move(what));
}

Status write_kept(SpoolWriter& to, const FlightFiles& from, std::uint64_t window,
                  std::vector<SnapshotCause> causes) {
  auto content = read_content(from);
  if (!content) return tl::make_unexpected(content.error());
  SnapshotContent what;
  what.session = content->session.value_or(SessionNote{});
  what.window = window;
  what.end = content->clocks.back().ticks;
  what.causes = std::move(causes);
  return write_content(to, *content, std::move(what));
}

}  // namespace prof::spool
