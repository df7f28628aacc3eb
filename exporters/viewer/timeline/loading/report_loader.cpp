#include "exporters/viewer/timeline/loading/report_loader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>

#include "exporters/analysis/events/report_views.hpp"
#include "exporters/viewer/timeline/derived/captured_ranges.hpp"
#include "exporters/viewer/timeline/derived/linked_rows.hpp"
#include "exporters/viewer/timeline/derived/path_row.hpp"
#include "exporters/viewer/timeline/loading/folds.hpp"
#include "exporters/viewer/timeline/loading/groups.hpp"

namespace prof::timeline {

namespace {

// The maximum number of rows of a layer that is read at once.
constexpr std::int64_t kSmallLayer = 50'000;
constexpr std::int64_t kSmallLayers = 300'000;  // maximum for all such layers together
// Tables with more rows than this are read in parts, by several threads.
constexpr std::int64_t kLargeTable = 200'000;
// In a report with more calls and operations than this the critical path is found when it is asked
// for: of a million it takes 0.3 s of a CPU and 106 MB.
constexpr std::int64_t kMaxPathEvents = 1'000'000;
constexpr int kBlocks = 2000;  // number of blocks of a sample

// Assigns lanes to the events of a row. `session_end` is the end of events without an end.
LoadedRow lay_out(const RowKey& key, Collected::Events events, std::int64_t session_end,
                  bool has_correlations) {
  for (std::size_t i = 0; i < kLayouts; ++i)
    for (RawEvent& open : events.open[i]) {
      open.end = std::max(open.start, session_end);
      events.sections[i].add(open);
    }
  LoadedRow row;
  row.key = key;
  row.events = std::make_shared<const EventLanes>(EventLanes::lay_out(
      std::move(events.sections), has_correlations ? &row.correlations : nullptr));
  return row;
}

}  // namespace

// A layer that is being read.
struct ReportLoader::Pending {
  const Layer* layer = nullptr;
  std::vector<IdMap> ids;                               // by source
  std::vector<std::pair<std::size_t, RowRange>> parts;  // source, rows
  std::vector<std::size_t> part_numbers;                // within the source
  std::vector<Collected> collected;                     // by part
  std::atomic<std::size_t> parts_left = 0;
  std::atomic<bool> failed = false;
  // The following members are set after the scans.
  std::vector<std::pair<RowKey, Collected::Events>> rows;
  std::int64_t session_end = 0;
  std::atomic<std::size_t> rows_left = 0;
  LoadedLayer laid;
};

base::Result<std::unique_ptr<ReportLoader>> ReportLoader::open(const std::string& path,
                                                               std::uint32_t number,
                                                               SnapshotBuilder& builder,
                                                               events::RangeOf range_of) {
  auto reader = report::ReportReader::open(path);
  if (!reader) return tl::make_unexpected(reader.error());
  auto facts = Facts::read(*reader);
  if (!facts) return tl::make_unexpected(facts.error());
  std::unique_ptr<ReportLoader> loader(new ReportLoader(path, number, builder, range_of));
  loader->facts_ = std::make_shared<const Facts>(std::move(*facts));
  loader->layers_ = layers_of(*reader);
  loader->first_ = std::make_unique<Connection>(Connection{std::move(*reader), ScanContext{}});
  loader->first_->context.names = NameReader(loader->first_->reader, builder.names());
  for (const Layer& layer : loader->layers_) {
    std::int64_t rows = 0;
    for (const Source& source : layer.sources) {
      const auto range = rows_of(loader->first_->reader, source.table);
      if (!range) return tl::make_unexpected(range.error());
      if (__builtin_add_overflow(rows, range->size(), &rows)) rows = INT64_MAX;
    }
    loader->layer_rows_.push_back(rows);
  }
  return loader;
}

void ReportLoader::sketch() {
  std::int64_t read = 0;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const std::int64_t rows = layer_rows_[i];
    const bool is_small = rows <= kSmallLayer && read + rows <= kSmallLayers;
    if (is_small)
      read += rows;
    else
      sampled_.push_back(&layers_[i]);
    const base::Status done = read_layer(layers_[i], rows, !is_small);
    if (!done) fail(done.error());
  }
  for (const DerivedSource& source : derived_sources(first_->reader)) {
    const auto range = rows_of(first_->reader, source.table);
    if (range && range->size() > kSmallLayer) {
      waiting_.push_back(source);
      continue;
    }
    const base::Status done =
        range ? read_derived(source, *first_) : tl::make_unexpected(range.error());
    if (!done) fail(done.error());
  }
  note_faulty(first_->reader);
  put_groups_of_sketch();
}

void ReportLoader::put_groups_of_sketch() {
  std::vector<Group> groups;
  builder_.change([&](RowTree& tree) {
    fold_rows(tree, number_, *facts_, builder_.names());
    groups = groups_of(tree, number_);
  });
  std::shared_ptr<const Density> last;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i == 0 || groups[i].busy != groups[i - 1].busy)
      last = std::make_shared<const Density>(groups[i].busy, groups[i].share_read);
    builder_.put_density(groups[i].row, last);
  }
}

base::Status ReportLoader::read_derived(const DerivedSource& source, Connection& connection) {
  std::vector<DerivedRow> rows;
  const base::Status read = source.read({connection.reader, builder_.names(), number_}, rows);
  builder_.put(std::move(rows));
  return read;
}

base::Status ReportLoader::read_layer(const Layer& layer, std::int64_t rows, bool sample) {
  Collected collected;
  LoadedLayer laid;
  laid.layer = &layer;
  std::vector<IdMap> ids;
  const int blocks = std::max(1, kBlocks / static_cast<int>(layer.sources.size()));
  for (std::size_t i = 0; i < layer.sources.size(); ++i) {
    const auto range = rows_of(first_->reader, layer.sources[i].table);
    if (!range) return tl::make_unexpected(range.error());
    ids.emplace_back(*range, 1);
    const ScanPart part{
        layer.place, &layer.sources[i], static_cast<std::uint8_t>(i), &ids.back(), 0, *range};
    if (range->size() == 0) continue;
    base::Status read = sample
                            ? scan_sample(first_->reader, part, blocks, first_->context, collected)
                            : scan_part(first_->reader, part, first_->context, collected);
    if (!read) return read;
  }
  if (collected.rows.empty()) return {};
  std::int64_t found = 0;
  const std::int64_t end = std::max(collected.latest, facts_->duration());
  for (auto& [key, events] : collected.rows) {
    laid.rows.push_back(lay_out(key, std::move(events), end, layer.side != Layer::Side::kNone));
    found += static_cast<std::int64_t>(laid.rows.back().events->size());
  }
  laid.domains = std::move(first_->context.domains);
  if (sample)
    laid.share_read = std::min(0.999, static_cast<double>(found) / static_cast<double>(rows));
  laid.ids = std::make_shared<const std::vector<IdMap>>(std::move(ids));
  builder_.put(number_, std::move(laid));
  if (!sample && collected.faulty > 0)
    first_->reader.note_faulty(layer.sources[0].table, collected.faulty);
  return {};
}

void ReportLoader::load(WorkQueue& queue, unsigned workers) {
  first_.reset();
  connections_.resize(workers);
  std::vector<std::pair<std::int64_t, const Layer*>> order;
  for (const Layer* layer : sampled_)
    order.emplace_back(layer_rows_[static_cast<std::size_t>(layer - layers_.data())], layer);
  std::sort(order.begin(), order.end());
  for (const DerivedSource& source : waiting_)
    queue.add([this, source](unsigned worker) {
      Connection* own = connection(worker);
      if (own == nullptr) return;
      const base::Status read = read_derived(source, *own);
      if (!read) fail(read.error());
      note_faulty(own->reader);
      builder_.publish();
    });
  for (const auto& [rows, layer] : order) {
    builder_.expect(static_cast<double>(rows));
    queue.add([this, &queue, layer = layer, workers](unsigned worker) {
      const Connection* own = connection(worker);
      if (own != nullptr) add_scans(queue, *layer, workers, own->reader);
    });
  }
}

ReportLoader::Connection* ReportLoader::connection(unsigned worker) {
  auto& own = connections_[worker];
  if (own) return own.get();
  auto reader = report::ReportReader::open(path_);
  if (!reader) {
    fail(reader.error());
    return nullptr;
  }
  own = std::make_unique<Connection>(Connection{std::move(*reader), ScanContext{}});
  own->context.names = NameReader(own->reader, builder_.names());
  return own.get();
}

// `reader` is the reader of the worker that calls this function: the other readers are in use by
// their own workers.
void ReportLoader::add_scans(WorkQueue& queue, const Layer& layer, unsigned workers,
                             const report::ReportReader& reader) {
  auto pending = std::make_shared<Pending>();
  pending->layer = &layer;
  for (std::size_t i = 0; i < layer.sources.size(); ++i) {
    const auto range = rows_of(reader, layer.sources[i].table);
    if (!range) return fail(range.error());
    const std::size_t parts = range->size() > kLargeTable ? workers : 1;
    pending->ids.emplace_back(*range, parts);
    std::int64_t first = range->first;
    for (std::size_t part = 0; part < parts && range->size() > 0; ++part) {
      const std::int64_t last = part + 1 == parts
                                    ? range->last
                                    : first + range->size() / static_cast<std::int64_t>(parts) - 1;
      pending->parts.emplace_back(i, RowRange{first, last});
      pending->part_numbers.push_back(part);
      first = last + 1;
    }
  }
  pending->collected.resize(pending->parts.size());
  pending->parts_left = pending->parts.size();
  for (std::size_t part = pending->parts.size(); part > 0; --part)
    queue.add(
        [this, &queue, pending, part](unsigned worker) { scan(queue, pending, part - 1, worker); },
        true);
}

void ReportLoader::scan(WorkQueue& queue, const std::shared_ptr<Pending>& pending, std::size_t part,
                        unsigned worker) {
  Connection* own = connection(worker);
  if (own != nullptr) {
    const auto& [source, rows] = pending->parts[part];
    const ScanPart what{
        pending->layer->place, &pending->layer->sources[source], static_cast<std::uint8_t>(source),
        &pending->ids[source], pending->part_numbers[part],      rows};
    const base::Status read = scan_part(own->reader, what, own->context, pending->collected[part]);
    if (!read) {
      fail(read.error());
      pending->failed = true;
    }
    pending->collected[part].domains = std::move(own->context.domains);
    own->context.domains.clear();
    builder_.has_read(static_cast<double>(rows.size()));
  }
  if (own == nullptr) pending->failed = true;
  // A layer stays a sketch if a part of it could not be read.
  if (--pending->parts_left == 0 && !pending->failed) add_layouts(queue, pending);
}

void ReportLoader::add_layouts(WorkQueue& queue, const std::shared_ptr<Pending>& pending) {
  Collected all;
  for (Collected& part : pending->collected) all.append(std::move(part));
  pending->collected.clear();
  note_faulty(pending->layer->sources[0].table, all.faulty);
  pending->session_end = std::max(all.latest, facts_->duration());
  pending->laid.layer = pending->layer;
  pending->laid.domains = std::move(all.domains);
  pending->laid.ids = std::make_shared<const std::vector<IdMap>>(std::move(pending->ids));
  for (auto& [key, events] : all.rows) pending->rows.emplace_back(key, std::move(events));
  pending->laid.rows.resize(pending->rows.size());
  pending->rows_left = pending->rows.size();
  for (std::size_t i = 0; i < pending->rows.size(); ++i)
    queue.add(
        [this, pending, i](unsigned) {
          auto& [key, events] = pending->rows[i];
          pending->laid.rows[i] = lay_out(key, std::move(events), pending->session_end,
                                          pending->layer->side != Layer::Side::kNone);
          if (--pending->rows_left == 0) publish(*pending);
        },
        true);
}

void ReportLoader::publish(Pending& pending) {
  builder_.put(number_, std::move(pending.laid));
  builder_.publish();
}

void ReportLoader::finish(WorkQueue& queue) {
  queue.add([this, &queue](unsigned worker) {
    add_linked_rows(queue, *builder_.put_links(number_), worker);
  });
  std::vector<Group> groups;
  builder_.change([&](RowTree& tree) {
    fold_rows(tree, number_, *facts_, builder_.names());
    groups = groups_of(tree, number_);
  });
  for (std::size_t i = 0; i < groups.size();) {
    std::vector<RowId> rows;
    std::size_t next = i;
    for (; next < groups.size() && groups[next].busy == groups[i].busy; ++next)
      rows.push_back(groups[next].row);
    queue.add([this, rows, busy = std::move(groups[i].busy)](unsigned) {
      const auto density = std::make_shared<const Density>(busy);
      for (const RowId row : rows) builder_.put_density(row, density);
    });
    i = next;
  }
}

void ReportLoader::add_linked_rows(WorkQueue& queue, const Links& links, unsigned worker) {
  auto linked = std::make_shared<LinkedEvents>();
  builder_.change([&](RowTree& tree) { *linked = linked_events(tree, number_); });
  set_callers(*linked, links);
  linked->range_of = range_of_;
  Connection* own = range_of_ == events::RangeOf::kLaunch ? nullptr : connection(worker);
  if (own != nullptr)
    if (const base::Status read = read_origins(own->reader, *linked); !read) fail(read.error());
  // Both tasks may run at once, but their rows always get their ids in the same order. The first
  // task is started first.
  const auto has_ranges = std::make_shared<std::promise<void>>();
  queue.add([this, linked, has_ranges](unsigned) {
    builder_.put(projected_ranges(*linked, builder_.names()));
    has_ranges->set_value();
  });
  queue.add([this, linked, has_ranges](unsigned) {
    auto lengths = queue_lengths(linked);
    has_ranges->get_future().wait();
    builder_.put(std::move(lengths));
  });
}

void ReportLoader::find_path(WorkQueue& queue) {
  std::int64_t events = 0;
  for (std::size_t i = 0; i < layers_.size(); ++i)
    if (can_be_on_path(layers_[i].kind) && __builtin_add_overflow(events, layer_rows_[i], &events))
      return;
  if (events == 0 || events > kMaxPathEvents) return;
  queue.add([this](unsigned) {
    const auto reader = report::ReportReader::open(path_);
    if (!reader) return fail(reader.error());
    base::Status read = events::make_views(*reader);
    auto path = read ? path::path_events(*reader) : tl::make_unexpected(read.error());
    if (path) read = reader->finish();
    if (path && read)
      path_found_ = *std::move(path);
    else
      builder_.message("No critical path: " + (path ? read.error() : path.error()).message);
  });
}

void ReportLoader::put_path(const std::vector<path::PathEvent>& path, const std::string& note) {
  PathTargets targets;
  builder_.change([&](RowTree& tree) { targets = path_targets(tree, number_); });
  builder_.put(number_, path_row(targets, path, builder_.names()), note);
}

void ReportLoader::finished() {
  for (const auto& each : connections_) {
    const base::Status same = each ? each->reader.finish() : base::Status();
    if (!same) fail(same.error());
  }
  // The row gets its id after all others, which other tasks have put meanwhile.
  if (path_found_) put_path(*path_found_, "");
  path_found_.reset();
  builder_.change([&](RowTree& tree) { set_shares(tree, number_); });
}

void ReportLoader::fail(const base::Error& error) { builder_.fail(error.message); }

void ReportLoader::note_faulty(const std::string& table, std::int64_t events) {
  if (events > 0)
    builder_.message(fmt::format(
        "{}: {} rows of {} are not shown, because they end before they start or lack a time.",
        path_, events, table));
}

void ReportLoader::note_faulty(const report::ReportReader& reader) {
  for (const auto& [table, events] : reader.faulty()) note_faulty(table, events);
}

}  // namespace prof::timeline
