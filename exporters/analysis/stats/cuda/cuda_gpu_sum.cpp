// cuda_gpu_sum: kernels and memory operations together. cuda_api_gpu_sum: also with API calls.
#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/kernels.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"

namespace prof::stats {

namespace {

enum class Category { kApi, kKernel, kMemory };

constexpr const char* text_of(Category category) {
  switch (category) {
    case Category::kApi:
      return "CUDA_API";
    case Category::kKernel:
      return "CUDA_KERNEL";
    case Category::kMemory:
      return "MEMORY_OPER";
  }
  return "";
}

struct OperationKey {
  Category category;
  events::KernelKey name;  // for other categories a StringIds.id or a kind, without a range
  auto operator<=>(const OperationKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct HashOperation {
  std::size_t operator()(const OperationKey& key) const {
    const std::size_t name = static_cast<std::size_t>(key.name.name) * 0x100000001b3 +
                             static_cast<std::size_t>(key.name.range);
    return name * 4 + static_cast<std::size_t>(key.category);
  }
};

using Groups = DurationGroups<OperationKey, HashOperation>;

base::Status add_gpu(const report::ReportReader& reader, const events::KernelNames& names,
                     Groups& groups) {
  base::Status kernels = events::for_each_kernel_time(
      reader, names, [&](const events::KernelKey& key, std::int64_t duration) {
        groups.add({Category::kKernel, key}, duration);
      });
  if (!kernels) return kernels;
  return events::for_each_memory_operation(reader, [&](const events::MemoryOperation& operation) {
    groups.add({Category::kMemory, {operation.kind}}, operation.duration);
  });
}

base::Status add_api(const report::ReportReader& reader, Groups& groups) {
  if (!reader.has_table(events::kApiTable)) return {};
  events::remark_on_backtrace_rows(reader);
  return events::for_each_event(
      reader, {events::kApiTable, {"nameId"}, events::api_calls()},
      [&](const events::Times& times, const report::Row& row) {
        groups.add({Category::kApi, {row.integer_or(0, events::Strings::kNone)}}, times.duration());
      });
}

base::Result<tables::Table> operation_sum(const report::ReportReader& reader,
                                          const Arguments& arguments, bool with_api) {
  auto names = events::KernelNames::make(reader, arguments.kernels);
  if (!names) return tl::make_unexpected(names.error());
  Groups groups;
  base::Status read = add_gpu(reader, *names, groups);
  if (read && with_api) read = add_api(reader, groups);
  if (!read) return tl::make_unexpected(read.error());

  events::Strings strings(reader);
  return summary_table(groups, "Instances", {"Category", "Operation"}, [&](const auto& key) {
    std::string name;
    if (key.category == Category::kKernel) name = names->text(key.name);
    if (key.category == Category::kMemory) name = events::memory_operation_name(key.name.name);
    if (key.category == Category::kApi) name = events::without_version(strings.text(key.name.name));
    return std::vector<std::string>{text_of(key.category), std::move(name)};
  });
}

}  // namespace

base::Result<tables::Table> cuda_gpu_sum(const report::ReportReader& reader,
                                         const Arguments& arguments) {
  return operation_sum(reader, arguments, false);
}

base::Result<tables::Table> cuda_api_gpu_sum(const report::ReportReader& reader,
                                             const Arguments& arguments) {
  return operation_sum(reader, arguments, true);
}

}  // namespace prof::stats
