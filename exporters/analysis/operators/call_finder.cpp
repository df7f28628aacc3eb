#include "exporters/analysis/operators/call_finder.hpp"

#include <algorithm>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/memory_operations.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"

namespace prof::operators {

using insight::WorkKind;
using report::ScanColumn;

base::Status CallFinder::read() {
  const ScanColumn none = ScanColumn::constant(0);
  base::Status done = read_sources();
  if (done) done = read_chains();
  if (done) done = read_table(events::kKernelTable, WorkKind::kKernel, "demangledName", none);
  if (done) done = read_table(events::kMemcpyTable, WorkKind::kCopy, "copyKind", "bytes");
  if (done)
    done = read_table(events::kMemsetTable, WorkKind::kFill, ScanColumn::constant(events::kMemset),
                      "bytes");
  if (done) done = read_table(events::kGraphTable, WorkKind::kGraph, "graphExecId", none);
  return done;
}

base::Status CallFinder::read_sources() {
  auto calls = events::ApiCalls::read(reader_);
  if (!calls) return tl::make_unexpected(calls.error());
  api_calls_ = std::move(*calls);
  auto libraries = LibraryCalls::read(reader_);
  if (!libraries) return tl::make_unexpected(libraries.error());
  libraries_ = std::move(*libraries);
  if (range_of_ == events::RangeOf::kLaunch) return {};
  auto nodes = events::GraphNodes::read(reader_);
  if (!nodes) return tl::make_unexpected(nodes.error());
  nodes_ = std::move(*nodes);
  return {};
}

base::Status CallFinder::read_chains() {
  if (!reader_.has_column(events::kApiTable, "callchainId") ||
      !reader_.has_table(events::kApiCallChainTable))
    return {};
  chains_.resize(api_calls_.all().size());
  std::size_t near = 0;
  return report::scan(reader_, {events::kApiTable, {"globalTid", "correlationId", "callchainId"}},
                      [&](const report::Row& row) {
                        const std::int64_t id = row.integer_or(2, 0);
                        if (id == 0) return;
                        const events::ApiCall* call =
                            api_calls_.launching(row.integer(0), row.integer(1), near);
                        if (call == nullptr) return;
                        std::int64_t& chain = chains_[index_of(*call)];
                        if (chain == 0) chain = id;
                      });
}

base::Status CallFinder::read_table(const char* table, WorkKind kind, const ScanColumn& name,
                                    const ScanColumn& bytes) {
  if (!reader_.has_table(table)) return {};
  operations.reserve(operations.size() + events::max_rows(reader_, table));
  const ScanColumn node =
      nodes_.all().empty() ? ScanColumn::null() : report::column_or(reader_, table, "graphNodeId");
  return events::for_each_event(
      reader_, {table, {"globalPid", "correlationId", "deviceId", "streamId", name, bytes, node}},
      [&](const events::Times& times, const report::Row& row) {
        if (window_ && (times.start > window_->end || times.end < window_->start)) return;
        add({.start = times.start,
             .end = times.end,
             .name = row.integer_or(4, events::Strings::kNone),
             .bytes = row.integer_or(5, 0),
             .global_pid = row.integer(0),
             .correlation = row.integer(1),
             .device = static_cast<std::int32_t>(row.integer(2)),
             .stream = static_cast<std::int32_t>(row.integer(3)),
             .call = -1,
             .kind = kind},
            row.integer_or(6, 0));
      });
}

void CallFinder::add(const GpuOperation& operation, std::int64_t node) {
  const std::int32_t number = call_of(operation, node);
  operations.push_back(operation);
  operations.back().call = number;
  OperatorCall& call = calls[static_cast<std::size_t>(number)];
  if (call.operations++ == 0) {
    call.start = operation.start;
    call.end = operation.end;
    call.global_pid = operation.global_pid;
    call.device = operation.device;
  }
  call.start = std::min(call.start, operation.start);
  call.end = std::max(call.end, operation.end);
  call.gpu_time += operation.duration();
  call.copied += operation.bytes;
}

// An operation of a CUDA graph belongs to what was going on when its node was captured, if that is
// known, else to what launches the graph.
CallFinder::Moment CallFinder::moment_of(const GpuOperation& operation, std::int64_t node,
                                         const events::ApiCall& launch,
                                         OperatorRanges::Place& place) {
  Moment moment{launch.global_tid, launch.start, chains_.empty() ? 0 : chains_[index_of(launch)]};
  const std::int32_t origin = nodes_.origin(operation.global_pid, node, launch.start);
  if (origin != events::GraphNodes::kNone) {
    const events::NodeOrigin& captured = nodes_.at(origin);
    place = ranges_.place(captured.global_tid, captured.time);
    if (captured.chain != 0) moment.chain = captured.chain;
    if (place.innermost != OperatorRanges::kNone || place.scope != OperatorRanges::kNone)
      return {captured.global_tid, captured.time, moment.chain};
  }
  if (node == 0 || range_of_ != events::RangeOf::kCapture)
    place = ranges_.place(launch.global_tid, launch.start);
  return moment;
}

void CallFinder::add_source(const Moment& moment, CallFacts& facts) const {
  const Origin origin = origin_of(ranges_, facts.place, libraries_, moment.global_tid, moment.time);
  facts.source = origin.source;
  if (origin.source == Source::kLibrary) facts.name = origin.library;
}

const CallFinder::Compiled& CallFinder::compiled(std::int64_t kernel) {
  const auto [known, is_new] = compiled_.try_emplace(kernel);
  if (is_new) {
    const std::string& name = strings_.text(kernel);
    known->second = {parse_inductor_name(name), parse_xla_name(name)};
  }
  return known->second;
}

// A range around a kernel of Inductor is that of the whole compiled function. XLA's ranges are
// those of its instructions.
void CallFinder::add_compiled(CallFacts& facts) {
  const Compiled& kernel = compiled(facts.name);
  const bool has_better = facts.source == Source::kOperator || facts.source == Source::kLibrary;
  if (!kernel.by_inductor && (!kernel.by_xla || has_better)) return;
  facts.source = Source::kCompiled;
  const bool is_backward = kernel.by_inductor && kernel.by_inductor->is_backward;
  if (is_backward && facts.place.direction == Direction::kForward)
    facts.place.direction = Direction::kBackward;
}

std::int32_t CallFinder::call_of(const GpuOperation& operation, std::int64_t node) {
  CallFacts found{
      .place = {}, .name = operation.name, .source = Source::kName, .kind = operation.kind};
  Moment moment{};
  const events::ApiCall* launch =
      api_calls_.launching(operation.global_pid, operation.correlation, near_launch_);
  if (launch != nullptr) {
    moment = moment_of(operation, node, *launch, found.place);
    add_source(moment, found);
  }
  if (operation.kind == WorkKind::kKernel) add_compiled(found);
  // Without the range of an operator, each operation is a call.
  if (found.source != Source::kOperator) return new_call(found, launch, moment);
  std::int32_t& number =
      call_of_range(found.place.innermost, node != 0 ? operation.correlation : 0);
  if (number == kNoCall) number = new_call(found, launch, moment);
  return number;
}

std::int32_t& CallFinder::call_of_range(std::int32_t range, std::int64_t graph_launch) {
  return graph_launch == 0
             ? call_of_range_[static_cast<std::size_t>(range)]
             : call_of_graph_.try_emplace({range, graph_launch}, kNoCall).first->second;
}

std::int32_t CallFinder::new_call(const CallFacts& found, const events::ApiCall* launch,
                                  const Moment& moment) {
  OperatorCall call{.range = found.place.innermost,
                    .forward = found.place.forward,
                    .sequence = found.place.sequence};
  if (launch != nullptr) {
    call.global_tid = launch->global_tid;
    call.launched = launch->start;
    call.chain = moment.chain;
  }
  facts.push_back(found);
  calls.push_back(call);
  return static_cast<std::int32_t>(calls.size() - 1);
}

}  // namespace prof::operators
