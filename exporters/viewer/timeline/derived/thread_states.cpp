// Shows the states of threads.
#include <array>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/insight/thread_states.hpp"
#include "exporters/viewer/timeline/derived/derived_rows.hpp"

namespace prof::timeline {

namespace {

// Names and colors in the order of insight::ThreadState. The colors come from Okabe and Ito;
// color-blind people can distinguish them.
struct State {
  const char* name;
  std::uint32_t color;
};
constexpr std::array<State, insight::kThreadStates> kStates = {{{"Running", 0x009e73},
                                                                {"Waiting for a CPU", 0xe69f00},
                                                                {"Blocked", 0xb0b0b0},
                                                                {"Off the CPU", 0xb0b0b0}}};

std::shared_ptr<const EventLanes> lanes_of(Section section) {
  Sections sections;
  sections[static_cast<std::size_t>(Layout::kFirstFit)] = std::move(section);
  return std::make_shared<const EventLanes>(EventLanes::lay_out(std::move(sections)));
}

}  // namespace

base::Status read_thread_states(const DerivedContext& context, std::vector<DerivedRow>& rows) {
  std::array<std::uint32_t, insight::kThreadStates> names{};
  for (std::size_t i = 0; i < names.size(); ++i)
    names[i] = context.names.number(kStates[i].name, kStates[i].color);
  return insight::for_each_thread(
      context.reader, [&](std::int64_t global_tid, std::span<const insight::StatePeriod> periods) {
        Section all;
        Section running;
        for (const insight::StatePeriod& period : periods) {
          const auto id = static_cast<std::uint32_t>(period.row);
          const std::uint32_t name = names[static_cast<std::size_t>(period.state)];
          const RawEvent event{period.start, period.end, name, id, 0, 0, 0};
          all.add(event);
          if (period.state == insight::ThreadState::kRunning) running.add(event);
        }
        DerivedRow row;
        row.place = [global_tid, report = context.report](RowTree& tree) {
          return tree.row_below(tree.thread(report, global_tid), RowKind::kState, RowStyle::kStates,
                                "");
        };
        row.events = all.size();
        row.table = events::kSchedulingTable;
        row.data.events = lanes_of(std::move(all));
        row.data.busy = lanes_of(std::move(running));
        rows.push_back(std::move(row));
      });
}

}  // namespace prof::timeline
