#include "exporters/viewer/timeline/loading/snapshot_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "exporters/analysis/events/global_ids.hpp"

namespace prof::timeline {

namespace {

// True for rows that can begin before the recording and end after it: they do not make the timeline
// longer.
bool is_beside(const Row& row) {
  return row.kind == RowKind::kMetric || row.kind == RowKind::kStalls ||
         (row.kind == RowKind::kOther && !row.process);
}

}  // namespace

void SnapshotBuilder::add_report(ReportEntry entry, std::shared_ptr<const Facts> facts,
                                 bool several) {
  const std::scoped_lock lock(mutex_);
  tree_.add_report(entry.name, facts, several);
  entry.row = tree_.report_row(static_cast<std::uint32_t>(reports_.size()));
  reports_.push_back(std::move(entry));
  facts_.push_back(std::move(facts));
  open_links_.push_back(std::make_shared<Links>());
  links_.emplace_back();
}

RowId SnapshotBuilder::put_row(std::uint32_t report, const LoadedLayer& layer, LoadedRow laid) {
  const RowId id = tree_.row_of(report, *layer.layer, laid.key);
  RowTree::Node& node = tree_.at(id);
  Row& row = node.row;
  row.lanes = laid.events->lanes();
  row.events =
      static_cast<std::uint64_t>(static_cast<double>(laid.events->size()) / layer.share_read);
  row.duration = laid.events->total();
  row.tables.clear();
  for (const Source& source : layer.layer->sources) row.tables.push_back(source.table);
  row.exact = layer.share_read == 1;
  ++row.version;
  node.data = {};
  node.data.events = std::move(laid.events);
  node.data.ids = layer.ids;
  node.data.exact = row.exact;
  if (!row.exact || layer.layer->side == Layer::Side::kNone || laid.correlations.empty()) return id;
  const auto side =
      layer.layer->side == Layer::Side::kCall ? Links::Side::kCall : Links::Side::kWork;
  open_links_[report]->add(events::global_pid_of(laid.key.ids[0]), id, side,
                           std::move(laid.correlations));
  return id;
}

void SnapshotBuilder::put(std::uint32_t report, LoadedLayer layer) {
  const std::scoped_lock lock(mutex_);
  tree_.set_domains(report, layer.domains);
  const bool is_exact = layer.share_read == 1;
  std::set<RowId>& sketched = sketched_[layer.layer];
  for (LoadedRow& row : layer.rows) {
    const RowId id = put_row(report, layer, std::move(row));
    if (is_exact)
      sketched.erase(id);
    else
      sketched.insert(id);
  }
  if (!is_exact) return;
  // Clears rows of the sketch whose events are in other rows now.
  for (const RowId id : sketched) {
    RowTree::Node& node = tree_.at(id);
    node.data = {};
    node.row.events = 0;
    node.row.exact = true;
  }
  sketched.clear();
}

void SnapshotBuilder::put(std::vector<DerivedRow> rows) {
  if (rows.size() > kMaxRows) {
    message(fmt::format("{} rows with curves or states are not shown, because there are too many.",
                        rows.size() - kMaxRows));
    rows.resize(kMaxRows);
  }
  const std::scoped_lock lock(mutex_);
  for (DerivedRow& row : rows) timeline::put(tree_, std::move(row));
}

void SnapshotBuilder::put(std::uint32_t report, PathRow path, const std::string& note) {
  const std::scoped_lock lock(mutex_);
  for (RowId id = 1; id < tree_.size(); ++id) {
    RowTree::Node& node = tree_.at(id);
    if (node.row.report != report) continue;
    const auto bits = path.on_path.find(id);
    if (bits == path.on_path.end() && node.data.on_path == nullptr) continue;
    node.data.on_path = bits == path.on_path.end() ? nullptr : std::move(bits->second);
    ++node.row.version;
  }
  RowTree::Node& node =
      tree_.at(tree_.row_below(tree_.report_row(report), RowKind::kPath, RowStyle::kEvents, ""));
  node.data = std::move(path.data);
  node.row.note = note;
  node.row.tables = std::move(path.tables);
  node.row.lanes = node.data.events->lanes();
  node.row.events = node.data.events->size();
  node.row.duration = node.data.events->total();
  node.row.exact = true;
  ++node.row.version;
}

void SnapshotBuilder::put_density(RowId row, std::shared_ptr<const Density> density) {
  const std::scoped_lock lock(mutex_);
  RowTree::Node& node = tree_.at(row);
  node.data.exact = density->is_exact();
  node.data.density = std::move(density);
  node.row.lanes = 1;
  ++node.row.version;
}

void SnapshotBuilder::change(const std::function<void(RowTree&)>& change) {
  const std::scoped_lock lock(mutex_);
  change(tree_);
}

std::shared_ptr<const Links> SnapshotBuilder::put_links(std::uint32_t report) {
  std::shared_ptr<Links> links;
  {
    const std::scoped_lock lock(mutex_);
    links = std::move(open_links_[report]);
  }
  links->finish();
  std::unordered_map<RowId, EventBits> linked;
  {
    const std::scoped_lock lock(mutex_);
    for (const RowId row : links->rows())
      linked.emplace(row, EventBits(tree_.at(row).data.events->size()));
  }
  links->for_each_pair([&](std::int64_t, const Links::EventRef& call, const Links::EventRef& work) {
    linked.at(call.row).set(call.index);
    linked.at(work.row).set(work.index);
  });
  const std::scoped_lock lock(mutex_);
  for (auto& [row, bits] : linked) {
    tree_.at(row).data.linked = std::make_shared<const EventBits>(std::move(bits));
    ++tree_.at(row).row.version;
  }
  links_[report] = links;
  return links;
}

void SnapshotBuilder::message(std::string text) {
  const std::scoped_lock lock(mutex_);
  if (std::find(messages_.begin(), messages_.end(), text) == messages_.end())
    messages_.push_back(std::move(text));
}

void SnapshotBuilder::fail(const std::string& text) {
  message(text);
  const std::scoped_lock lock(mutex_);
  failed_ = true;
}

void SnapshotBuilder::expect(double rows) {
  const std::scoped_lock lock(mutex_);
  expected_ += rows;
}

void SnapshotBuilder::has_read(double rows) {
  const std::scoped_lock lock(mutex_);
  read_ += rows;
}

void SnapshotBuilder::set_exact() {
  const std::scoped_lock lock(mutex_);
  exact_ = !failed_;
  read_ = expected_ = 1;
}

Span SnapshotBuilder::span_of(std::uint32_t report) const {
  Span span{0, facts_[report]->duration()};
  for (RowId id = 1; id < tree_.size(); ++id) {
    const RowTree::Node& node = tree_.at(id);
    if (node.row.report != report || (span.end > 0 && is_beside(node.row))) continue;
    if (node.data.events && node.data.events->size() > 0) {
      span.start = std::min(span.start, node.data.events->earliest());
      span.end = std::max(span.end, node.data.events->latest());
    }
    if (node.data.counter && node.data.counter->size() > 0) {
      span.start = std::min(span.start, node.data.counter->earliest());
      span.end = std::max(span.end, node.data.counter->latest());
    }
  }
  const events::ClockMap& clock = reports_[report].clock;
  return {clock.common(span.start), clock.common(span.end)};
}

std::shared_ptr<Snapshot> SnapshotBuilder::make() const {
  auto result = std::make_shared<Snapshot>();
  result->version_ = version_;
  result->exact_ = exact_;
  result->awaits_path_ = awaits_path_;
  result->failed_ = failed_;
  result->utc_start_ = utc_start_;
  result->progress_ = expected_ > 0 ? std::min(1.0, read_ / expected_) : 0;
  result->messages_ = messages_;
  result->names_ = names_;
  result->links_ = links_;
  result->reports_ = reports_;
  for (std::uint32_t i = 0; i < reports_.size(); ++i) {
    const Span span = span_of(i);
    result->reports_[i].span = span;
    result->span_.start = i == 0 ? span.start : std::min(result->span_.start, span.start);
    result->span_.end = i == 0 ? span.end : std::max(result->span_.end, span.end);
  }
  for (const RowTree::Shown& shown : tree_.in_order()) {
    const RowTree::Node& node = tree_.at(shown.id);
    result->indices_.emplace(shown.id, result->rows_.size());
    result->rows_.push_back(node.row);
    result->rows_.back().parent = shown.parent;
    result->rows_.back().events = shown.events;
    result->rows_.back().exact = shown.exact;
    result->data_.push_back(std::make_shared<const RowData>(node.data));
  }
  return result;
}

void SnapshotBuilder::publish() {
  const std::scoped_lock lock(mutex_);
  ++version_;
  std::shared_ptr<const Snapshot> made = make();
  const std::scoped_lock also(snapshot_mutex_);
  snapshot_ = std::move(made);
  changed_.notify_all();
}

std::shared_ptr<const Snapshot> SnapshotBuilder::snapshot() const {
  const std::scoped_lock lock(snapshot_mutex_);
  return snapshot_;
}

std::uint64_t SnapshotBuilder::wait_for_change(std::uint64_t version, int milliseconds) const {
  std::unique_lock lock(snapshot_mutex_);
  const auto current = [&] { return snapshot_ == nullptr ? 0 : snapshot_->version(); };
  changed_.wait_for(lock, std::chrono::milliseconds(milliseconds),
                    [&] { return current() > version; });
  return current();
}

}  // namespace prof::timeline
