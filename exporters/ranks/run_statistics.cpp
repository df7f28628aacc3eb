#include "exporters/ranks/run_statistics.hpp"

#include <cstddef>
#include <exception>
#include <mutex>
#include <utility>

#include "exporters/ranks/parallel.hpp"
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
    for_each_number(reports_.size(), options_.threads, [this](std::size_t i) {
      if (!failures_[i].empty()) return;  // in the pass before
      try {
        if (const base::Status read = read_one(reports_[i]); !read)
          failures_[i] = read.error().message;
      } catch (const std::exception& exception) {
        failures_[i] = reports_[i].path + ": " + exception.what();
      }
    });
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
};

}  // namespace

std::vector<PlannedReport> find_ranks(const std::vector<std::string>& paths,
                                      std::vector<std::string>& left_out) {
  std::vector<base::Result<std::vector<ReportRank>>> found(paths.size());
  for_each_number(paths.size(), 0, [&](std::size_t i) {
    try {
      const auto reader = report::ReportReader::open(paths[i]);
      found[i] = reader ? ranks_of(*reader) : tl::make_unexpected(reader.error());
    } catch (const std::exception& exception) {
      found[i] = base::fail(paths[i] + ": " + exception.what());
    }
  });
  std::vector<PlannedReport> reports;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (found[i])
      reports.push_back({paths[i], *std::move(found[i])});
    else
      left_out.push_back(found[i].error().message);
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
