#include "exporters/analysis/facts/sums.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/events/thread_names.hpp"

namespace prof::facts {

namespace {

struct Group {
  std::int64_t key;
  std::int64_t value;
  std::int64_t count;
};

class SumRunner {
 public:
  SumRunner(const report::ReportReader& reader, const Sum& sum)
      : reader_(reader), sum_(sum), strings_(reader) {}

  base::Result<std::vector<Statistic>> run() {
    if (sum_.key_of == KeyOf::kThread) {
      auto threads = events::ThreadNames::read(reader_);
      if (!threads) return tl::make_unexpected(threads.error());
      threads_ = *std::move(threads);
    }
    const base::Status read = events::for_each_row(
        reader_,
        fmt::format("SELECT {}, {}, count(*) FROM {}{} GROUP BY 1 ORDER BY 2 DESC, 1", key(),
                    sum_.value, sum_.from, condition("")),
        [&](const report::Statement& row) {
          groups_.push_back({row.integer(0), row.integer(1), row.integer(2)});
        });
    if (!read) return tl::make_unexpected(read.error());
    return statistics();
  }

 private:
  std::string key() const {
    return sum_.key_of == KeyOf::kNothing ? "0" : fmt::format("COALESCE({}, -1)", sum_.key);
  }

  // Returns the clause for the rows of the sum that fit another condition, too.
  std::string condition(const std::string& more) const {
    const char* both = sum_.where.empty() || more.empty() ? "" : " AND ";
    if (sum_.where.empty() && more.empty()) return {};
    return fmt::format(" WHERE {}{}{}", sum_.where, both, more);
  }

  std::vector<Statistic> statistics() {
    std::int64_t all = 0;
    for (const Group& each : groups_) all = events::sum(all, each.value);
    const std::size_t shown = std::min(groups_.size(), kMaxNames);
    std::vector<Statistic> result;
    std::vector<std::int64_t> keys;
    for (std::size_t i = 0; i < shown; ++i) {
      Statistic& each = result.emplace_back(of_group(groups_[i], all));
      if (sum_.key_of == KeyOf::kNothing) {
        each.sql = sql("");
        each.share.reset();
        continue;
      }
      each.sql = sql(fmt::format("{} = {}", key(), groups_[i].key));
      add_name(groups_[i].key, each);
      keys.push_back(groups_[i].key);
    }
    if (groups_.size() > shown) result.push_back(others(std::span(groups_).subspan(shown), all));
    if (groups_.size() > shown)
      result.back().sql = sql(fmt::format("{} NOT IN ({})", key(), fmt::join(keys, ", ")));
    return result;
  }

  std::string sql(const std::string& more) const {
    return fmt::format("SELECT {}, count(*) FROM {}{}", sum_.value, sum_.from, condition(more));
  }

  Statistic of_group(const Group& group, std::int64_t all) const {
    Statistic result{sum_.topic, sum_.quantity, sum_.unit, sum_.basis, group.value, group.count};
    result.share = all > 0 ? static_cast<double>(group.value) / static_cast<double>(all) : 0;
    return result;
  }

  Statistic others(std::span<const Group> groups, std::int64_t all) const {
    Group group{0, 0, 0};
    for (const Group& each : groups) {
      group.value = events::sum(group.value, each.value);
      group.count += each.count;
    }
    Statistic result = of_group(group, all);
    result.other_names = groups.size();
    return result;
  }

  void add_name(std::int64_t key, Statistic& to) {
    switch (sum_.key_of) {
      case KeyOf::kNothing:
        break;
      case KeyOf::kString:
        to.name = {sum_.kind, strings_.text(key)};
        break;
      case KeyOf::kCopy:
        to.name = {sum_.kind, events::memory_operation_name(key)};
        break;
      case KeyOf::kThread:
        to.pid = events::pid_of(key);
        to.tid = events::tid_of(key);
        if (!threads_->thread(key).empty()) to.name = {sum_.kind, threads_->thread(key)};
        break;
      case KeyOf::kDevice:
        if (events::pid_of(key) != 0) to.pid = events::pid_of(key);
        to.device = events::tid_of(key);
        break;
    }
  }

  const report::ReportReader& reader_;
  const Sum& sum_;
  events::Strings strings_;
  std::optional<events::ThreadNames> threads_;
  std::vector<Group> groups_;
};

}  // namespace

base::Result<std::vector<Statistic>> run_sum(const report::ReportReader& reader, const Sum& sum) {
  return SumRunner(reader, sum).run();
}

}  // namespace prof::facts
