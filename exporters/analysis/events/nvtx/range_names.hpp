// Numbers the names of NVTX ranges, because numbers are cheap to compare and to group by.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/report/report_reader.hpp"
#include "common/report/table_scan.hpp"
#include "exporters/analysis/events/strings.hpp"

namespace prof::events {

// Numbers texts from 0 on. Equal names have the same number.
class RangeNames {
 public:
  enum class Show { kDomainAndText, kText };  // "domain:text", or "text"
  explicit RangeNames(const report::ReportReader& reader, Show show = Show::kDomainAndText)
      : reader_(&reader), strings_(reader, ""), show_(show) {}
  RangeNames(RangeNames&&) = default;
  RangeNames& operator=(RangeNames&&) = default;

  static constexpr report::ScanColumn kColumns[] = {"globalTid", "domainId", "text", "textId"};
  // Returns the number of the name in a row. The row has kColumns from column `first` on.
  std::int32_t number(const report::Row& row, int first);
  std::size_t size() const { return texts_.size(); }
  // The reference is valid as long as this object exists.
  const std::string& text(std::int32_t number) const {
    return texts_[static_cast<std::size_t>(number)];
  }

 private:
  using DomainKey = std::pair<std::int64_t, std::int64_t>;  // process_of(), domainId
  struct Domain {
    std::string prefix;
    std::unordered_map<std::int64_t, std::int32_t> numbers;  // by textId
  };

  struct Slot {
    std::uint32_t hash = 0;
    std::int32_t number = kFree;
  };
  static constexpr std::int32_t kFree = -1;

  Domain& domain(const DomainKey& key);
  std::string prefix_of(const DomainKey& key);
  std::int32_t number(const Domain& domain, std::string_view text);
  void grow();

  const report::ReportReader* reader_;
  Strings strings_;
  Show show_;
  std::optional<std::map<DomainKey, std::string>> domain_names_;
  std::map<DomainKey, Domain> domains_;
  // Recently used domains, because threads use few domains in turn.
  std::array<std::pair<DomainKey, Domain*>, 8> recent_domains_ = {};
  std::deque<std::string> texts_;
  // A hash table of texts_. Its size is a power of two. The names of PyTorch's operators all
  // differ, so there may be millions: they have no nodes that would have to be allocated one by
  // one.
  std::vector<Slot> slots_ = std::vector<Slot>(1024);
  std::string name_;  // memory for the name that is looked for
};

}  // namespace prof::events
