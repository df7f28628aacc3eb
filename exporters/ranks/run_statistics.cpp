#include "exporters/ranks/run_statistics.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "exporters/ranks/partial_file.hpp"

namespace prof::ranks {

namespace {

class Readers {
 public:
  Readers(const std::vector<PlannedReport>& reports, const ReadOptions& options, RunSums& sums)
      : reports_(reports), options_(options), sums_(sums), failures_(reports.size()) {}

  void run() {
    read_all();
    if (!options_.exact) return;
    inexact_ = sums_.inexact(options_.requests);
    if (!inexact_.empty()) read_all();
  }

  // In the order of the reports.
  void add_failures(std::vector<std::string>& left_out) const {
    for (const std::string& failure : failures_)
      if (!failure.empty()) left_out.push_back(failure);
  }

 private:
  void read_all() {
    next_ = 0;
    const unsigned wanted =
        options_.threads > 0 ? options_.threads : std::max(1U, std::thread::hardware_concurrency());
    const auto count = std::min<std::size_t>(wanted, reports_.size());
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < count; ++i) threads.emplace_back([this] { work(); });
    work();
  }

  void work() {
    for (std::size_t i = next_++; i < reports_.size(); i = next_++) {
      if (!failures_[i].empty()) continue;  // in the pass before
      try {
        if (const base::Status read = read_one(reports_[i]); !read)
          failures_[i] = read.error().message;
      } catch (const std::exception& exception) {
        failures_[i] = reports_[i].path + ": " + exception.what();
      }
    }
  }

  base::Status read_one(const PlannedReport& report) {
    const auto reader = report::ReportReader::open(report.path);
    if (!reader) return tl::make_unexpected(reader.error());
    report::EventFilter filter;
    if (options_.filter_of) {
      auto found = options_.filter_of(*reader);
      if (!found) return tl::make_unexpected(found.error());
      filter = *std::move(found);
    }
    if (!inexact_.empty()) return read_again(*reader, report, filter);
    std::string unfit;
    const auto partial = read_or_map(*reader, report.ranks, options_.requests, filter, unfit);
    if (!partial) return tl::make_unexpected(partial.error());
    const std::lock_guard lock(mutex_);
    if (!unfit.empty() && options_.on_unfit) options_.on_unfit(report.path, unfit);
    sums_.add(*partial);
    if (options_.on_read) options_.on_read(*reader);
    return {};
  }

  base::Status read_again(const report::ReportReader& reader, const PlannedReport& report,
                          const report::EventFilter& filter) {
    auto partial = read_or_map_values(reader, report.ranks, inexact_, filter);
    if (!partial) return tl::make_unexpected(partial.error());
    const Partial wanted = sums_.wanted_of(*std::move(partial));
    const std::lock_guard lock(mutex_);
    sums_.add_wanted(wanted);
    return {};
  }

  const std::vector<PlannedReport>& reports_;
  const ReadOptions& options_;
  RunSums& sums_;                      // guarded by mutex_ while threads run
  std::vector<Request> inexact_;       // in the second pass
  std::vector<std::string> failures_;  // by report; each is written by one thread
  std::mutex mutex_;
  std::atomic<std::size_t> next_ = 0;
};

}  // namespace

std::vector<PlannedReport> find_ranks(const std::vector<std::string>& paths,
                                      std::vector<std::string>& left_out) {
  std::vector<PlannedReport> reports;
  for (const std::string& path : paths) {
    const auto reader = report::ReportReader::open(path);
    auto ranks = reader ? ranks_of(*reader) : tl::make_unexpected(reader.error());
    if (ranks)
      reports.push_back({path, *std::move(ranks)});
    else
      left_out.push_back(ranks.error().message);
  }
  return reports;
}

void read_reports(const std::vector<PlannedReport>& reports, const ReadOptions& options,
                  RunSums& sums, std::vector<std::string>& left_out) {
  Readers readers(reports, options, sums);
  readers.run();
  readers.add_failures(left_out);
}

}  // namespace prof::ranks
