#include "exporters/viewer/timeline/timeline.hpp"

#include <malloc.h>
#include <sys/stat.h>

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "exporters/viewer/timeline/loading/report_loader.hpp"
#include "exporters/viewer/timeline/loading/snapshot_builder.hpp"
#include "exporters/viewer/timeline/loading/work_queue.hpp"

namespace prof::timeline {

namespace {

std::string name_of_file(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
}

// Returns a text that is equal for the same recording, even if the file is moved.
std::string identity_of(const std::string& path, const Facts& facts) {
  if (facts.utc_start()) return fmt::format("{:x}", *facts.utc_start());
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return path;
  return fmt::format("{:x}-{:x}", info.st_size, info.st_mtim.tv_sec);
}

class LoadedTimeline final : public Timeline {
 public:
  base::Status add(const std::vector<OpenReport>& reports, const Options& options);

  void load(unsigned threads) override {
    const unsigned workers = std::max(1U, threads);
    for (const auto& loader : loaders_) loader->load(queue_, workers);
    queue_.start(workers, [this] { next_step(); });
  }
  void wait() override { queue_.wait(); }
  std::uint64_t wait_for_change(std::uint64_t version, int milliseconds) const override {
    return builder_.wait_for_change(version, milliseconds);
  }
  std::shared_ptr<const Snapshot> snapshot() const override { return builder_.snapshot(); }
  void put_path(std::uint32_t report, const std::vector<path::PathEvent>& path,
                const std::string& note) override {
    const std::lock_guard lock(putting_path_);
    loaders_[report]->put_path(path, note);
    builder_.set_awaits_path(false);
    builder_.publish();
    malloc_trim(0);  // returns the memory in which the path was found
  }

 private:
  void next_step() {
    if (std::exchange(finishing_, true)) {
      for (const auto& loader : loaders_) loader->finished();
      builder_.set_exact();
      builder_.publish();
      malloc_trim(0);  // returns the memory of the scans
      return;
    }
    for (const auto& loader : loaders_) {
      loader->finish(queue_);
      if (finds_paths_) loader->find_path(queue_);
    }
  }

  SnapshotBuilder builder_;
  std::vector<std::unique_ptr<ReportLoader>> loaders_;
  bool finishing_ = false;
  bool finds_paths_ = false;
  std::mutex putting_path_;  // requests may find the path of one report at the same time
  WorkQueue queue_;          // the last member, because its threads use the others
};

base::Status LoadedTimeline::add(const std::vector<OpenReport>& reports, const Options& options) {
  finds_paths_ = options.paths == Options::Paths::kOfReports;
  builder_.set_awaits_path(options.paths == Options::Paths::kAwaited);
  std::vector<const Facts*> facts;
  for (std::uint32_t i = 0; i < reports.size(); ++i) {
    auto loader = ReportLoader::open(reports[i].path, i, builder_, options.range_of);
    if (!loader) return tl::make_unexpected(loader.error());
    facts.push_back((*loader)->facts().get());
    loaders_.push_back(std::move(*loader));
  }
  const bool is_alone = reports.size() == 1 && reports[0].clock == events::ClockMap();
  builder_.set_utc_start(is_alone ? facts[0]->utc_start() : options.utc_start);
  if (!options.message.empty()) builder_.message(options.message);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    ReportEntry entry;
    entry.path = reports[i].path;
    entry.name = reports[i].name.empty() ? name_of_file(entry.path) : reports[i].name;
    entry.id = identity_of(entry.path, *facts[i]);
    entry.utc_start = facts[i]->utc_start();
    entry.clock = reports[i].clock;
    builder_.add_report(std::move(entry), loaders_[i]->facts(), reports.size() > 1);
    loaders_[i]->sketch();
  }
  builder_.publish();
  return {};
}

}  // namespace

base::Result<std::unique_ptr<Timeline>> Timeline::open(const std::vector<OpenReport>& reports,
                                                       const Options& options) {
  auto timeline = std::make_unique<LoadedTimeline>();
  if (base::Status added = timeline->add(reports, options); !added)
    return tl::make_unexpected(added.error());
  return timeline;
}

}  // namespace prof::timeline
