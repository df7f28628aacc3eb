#include "exporters/analysis/events/nvtx/range_names.hpp"

#include <functional>
#include <utility>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::events {

std::int32_t RangeNames::number(const report::Row& row, int first) {
  constexpr int kDomainId = 1;
  constexpr int kText = 2;
  constexpr int kTextId = 3;
  Domain& of = domain({process_of(row.integer(first)), row.integer(first + kDomainId)});
  if (!row.is_null(first + kText)) return number(of, row.text(first + kText));
  if (row.is_null(first + kTextId)) return number(of, "");
  const std::int64_t id = row.integer(first + kTextId);
  const auto [at, is_new] = of.numbers.try_emplace(id);
  if (is_new) at->second = number(of, strings_.text(id));
  return at->second;
}

std::int32_t RangeNames::number(const Domain& domain, std::string_view text) {
  if (2 * texts_.size() >= slots_.size()) grow();
  name_.assign(domain.prefix).append(text);
  const auto hash = static_cast<std::uint32_t>(std::hash<std::string_view>()(name_));
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    Slot& slot = slots_[at];
    if (slot.number == kFree) {
      slot = {hash, static_cast<std::int32_t>(texts_.size())};
      texts_.push_back(name_);
      return slot.number;
    }
    if (slot.hash == hash && this->text(slot.number) == name_) return slot.number;
  }
}

void RangeNames::grow() {
  std::vector<Slot> larger(2 * slots_.size());
  const std::size_t mask = larger.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.number == kFree) continue;
    std::size_t at = slot.hash & mask;
    while (larger[at].number != kFree) at = (at + 1) & mask;
    larger[at] = slot;
  }
  slots_ = std::move(larger);
}

RangeNames::Domain& RangeNames::domain(const DomainKey& key) {
  auto& recent = recent_domains_[static_cast<std::size_t>(key.second) % recent_domains_.size()];
  if (recent.second != nullptr && recent.first == key) return *recent.second;
  const auto [at, is_new] = domains_.try_emplace(key);
  if (is_new) at->second.prefix = prefix_of(key);
  recent = {key, &at->second};
  return at->second;
}

std::string RangeNames::prefix_of(const DomainKey& key) {
  if (show_ == Show::kText) return "";
  constexpr std::int64_t kDefaultDomain = 0;  // the domain without a name
  if (key.second == kDefaultDomain) return ":";
  if (!domain_names_) {
    auto& names = domain_names_.emplace();
    // Errors are ignored here, because the scan that calls this function reports them.
    (void)for_each_row(*reader_,
                       "SELECT globalTid, domainId, "
                       "COALESCE(text, (SELECT value FROM StringIds WHERE id = textId)) "
                       "FROM NVTX_EVENTS WHERE eventType = 75",
                       [&](const report::Statement& row) {
                         names[{process_of(row.integer(0)), row.integer(1)}] = row.text(2);
                       });
  }
  const auto name = domain_names_->find(key);
  return (name == domain_names_->end() ? "" : name->second) + ':';
}

}  // namespace prof::events
