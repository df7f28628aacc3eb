#include "exporters/analysis/stats/pages/ncu_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <vector>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/insight/occupancy/gpu_limits.hpp"
#include "exporters/analysis/insight/profiles/kernel_profiles.hpp"
#include "exporters/analysis/insight/profiles/metric_rules.hpp"
#include "exporters/analysis/insight/profiles/verdict.hpp"
#include "exporters/analysis/stats/pages/launch_values.hpp"
#include "exporters/analysis/stats/pages/page_sections.hpp"
#include "exporters/analysis/stats/pages/page_values.hpp"
#include "exporters/analysis/stats/pages/source_page.hpp"

namespace prof::stats {

namespace {

constexpr const char* kFirstColumns[] = {
    "ID",     "Process ID", "Process Name", "Host Name", "Kernel Name", "Context",
    "Stream", "Block Size", "Grid Size",    "Device",    "CC"};
constexpr const char* kDetailColumns[] = {
    "Section Name",     "Metric Name", "Metric Unit",      "Metric Value",
    "Rule Name",        "Rule Type",   "Rule Description", "Estimated Speedup Type",
    "Estimated Speedup"};

// A launch with all that the pages show of it.
struct PageLaunch {
  std::string first;  // the first columns, as CSV
  std::string kernel;
  insight::LaunchShape shape;
  insight::GpuLimits gpu;
  insight::MetricValues metrics;
  PageValues values;
};

using ProcessNames = std::map<std::int64_t, std::string>;

base::Result<ProcessNames> read_process_names(const report::ReportReader& reader) {
  ProcessNames names;
  if (!reader.has_table("PROCESSES")) return names;
  const base::Status read = events::for_each_row(
      reader, "SELECT globalPid, name FROM PROCESSES", [&](const report::Statement& row) {
        const std::string_view path = row.text(1);
        names[row.integer(0)] = path.substr(path.rfind('/') + 1);
      });
  if (!read) return tl::make_unexpected(read.error());
  return names;
}

base::Result<std::string> read_host(const report::ReportReader& reader) {
  std::string host;
  if (!reader.has_table("TARGET_INFO_SYSTEM_ENV")) return host;
  const base::Status read = events::for_each_row(
      reader, "SELECT value FROM TARGET_INFO_SYSTEM_ENV WHERE name = 'Hostname' LIMIT 1",
      [&](const report::Statement& row) { host = row.text(0); });
  if (!read) return tl::make_unexpected(read.error());
  return host;
}

std::string dimensions(const events::Dimensions& of) {
  return fmt::format("({}, {}, {})", of[0], of[1], of[2]);
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t at = 0; at < fields.size(); ++at) append_csv_field(line, fields[at], at == 0);
  return line;
}

base::Result<std::vector<PageLaunch>> read_launches(const report::ReportReader& reader) {
  auto names = events::KernelNames::make(reader, {});
  if (!names) return tl::make_unexpected(names.error());
  const auto profiles = insight::read_kernel_profiles(reader, *names);
  if (!profiles) return tl::make_unexpected(profiles.error());
  const auto gpus = insight::GpuLimitsTable::read(reader);
  if (!gpus) return tl::make_unexpected(gpus.error());
  auto processes = read_process_names(reader);
  if (!processes) return tl::make_unexpected(processes.error());
  const auto host = read_host(reader);
  if (!host) return tl::make_unexpected(host.error());
  std::vector<PageLaunch> launches;
  for (const insight::ProfiledLaunch& each : profiles->launches) {
    const insight::LaunchConfiguration& of = each.configuration;
    PageLaunch launch;
    launch.kernel = names->text(of.kernel);
    launch.gpu = gpus->of(events::pid_of(of.global_pid), of.device, of.green_context);
    launch.shape = insight::shape_of(of, each.shared_capacity);
    launch.metrics = insight::metrics_of(*profiles, each);
    launch.first =
        csv_line({std::to_string(each.id), std::to_string(events::pid_of(of.global_pid)),
                  (*processes)[of.global_pid], *host, launch.kernel, std::to_string(each.context),
                  std::to_string(each.stream), dimensions(of.block), dimensions(of.grid),
                  std::to_string(of.device),
                  fmt::format("{}.{}", launch.gpu.compute_major, launch.gpu.compute_minor)});
    for (const auto& [index, value] : each.metrics)
      launch.values.insert_or_assign(profiles->names[index].name,
                                     PageValue{value, profiles->names[index].unit});
    add_launch_values(each, launch.shape, launch.gpu, launch.values);
    launches.push_back(std::move(launch));
  }
  return launches;
}

// How a column of the page "raw" shows its values.
struct ColumnForm {
  ScaledUnit unit;  // of the largest value
  bool is_zero;     // all values are 0
};

ColumnForm form_of(const std::vector<PageLaunch>& launches, const std::string& metric,
                   PageUnits units) {
  std::string unit;
  double largest = 0;
  for (const PageLaunch& each : launches) {
    const auto found = each.values.find(metric);
    if (found == each.values.end()) continue;
    unit = found->second.unit;
    largest = std::max(largest, std::abs(found->second.value));
  }
  return {units == PageUnits::kBase ? ScaledUnit{unit, 1} : scaled_unit(unit, largest),
          largest == 0};
}

// In units with prefixes counters have six decimals; what is counted otherwise is whole.
std::string raw_number(const std::string& metric, double value, const ColumnForm& form,
                       PageUnits units) {
  const auto& [unit, is_zero] = form;
  if (units == PageUnits::kBase || unit.unit.empty() || is_zero) return page_number(value);
  const bool is_counter = metric.find('.') != std::string::npos;
  const bool is_whole = !is_counter && unit.factor == 1 && value == std::floor(value);
  return fmt::format("{:.{}f}", value / unit.factor, is_whole ? 0 : 6);
}

std::string raw_page(const std::vector<PageLaunch>& launches, PageUnits units) {
  std::set<std::string> metrics;
  for (const PageLaunch& each : launches)
    for (const auto& [name, value] : each.values) metrics.insert(name);
  std::string head;
  std::string second;
  for (const char* each : kFirstColumns) {
    append_csv_field(head, each, head.empty());
    append_csv_field(second, "", second.empty());
  }
  std::vector<std::string> lines;
  for (const PageLaunch& each : launches) lines.push_back(each.first);
  for (const std::string& metric : metrics) {
    const ColumnForm form = form_of(launches, metric, units);
    append_csv_field(head, metric);
    append_csv_field(second, form.unit.unit);
    for (std::size_t at = 0; at < launches.size(); ++at) {
      const auto found = launches[at].values.find(metric);
      append_csv_field(lines[at], found == launches[at].values.end()
                                      ? ""
                                      : raw_number(metric, found->second.value, form, units));
    }
  }
  std::string text = head + '\n' + second + '\n';
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

void add_metric_row(const PageLaunch& launch, const PageSection& section, const PageMetric& metric,
                    PageUnits units, std::string& text) {
  const auto found = launch.values.find(metric.metric);
  if (found == launch.values.end()) return;
  const auto& [value, unit] = found->second;
  const ScaledUnit scaled =
      units == PageUnits::kBase ? ScaledUnit{unit, 1} : scaled_unit(unit, value);
  text += launch.first;
  for (const std::string& field : {std::string(section.title), std::string(metric.label),
                                   scaled.unit, page_number(value / scaled.factor)})
    append_csv_field(text, field);
  text += ",\n";
}

void add_rule_row(const PageLaunch& launch, const char* section, const char* name, const char* type,
                  std::string_view description, const char* speedup_type,
                  const std::string& speedup, std::string& text) {
  text += launch.first;
  for (const std::string_view field :
       {std::string_view(section), std::string_view(), std::string_view(), std::string_view(),
        std::string_view(name), std::string_view(type), description, std::string_view(speedup_type),
        std::string_view(speedup)})
    append_csv_field(text, field);
  text += '\n';
}

void add_verdict_row(const PageLaunch& launch, std::string& text) {
  const insight::KernelVerdict verdict =
      insight::verdict_of({launch.kernel, launch.shape, launch.gpu, launch.metrics});
  if (verdict.text.empty()) return;
  const bool is_good = verdict.is_at_limit || verdict.limit == insight::KernelLimit::kBalanced;
  add_rule_row(launch, "SpeedOfLight", "SOLBottleneck", is_good ? "INF" : "OPT", verdict.text, "",
               "", text);
}

std::string details_page(const std::vector<PageLaunch>& launches, PageUnits units) {
  std::string text;
  for (const char* each : kFirstColumns) append_csv_field(text, each, text.empty());
  for (const char* each : kDetailColumns) append_csv_field(text, each);
  text += '\n';
  for (const PageLaunch& launch : launches) {
    const auto rules =
        insight::metric_rules({launch.kernel, launch.shape, launch.gpu, launch.metrics});
    for (const PageSection& section : page_sections()) {
      for (const PageMetric& metric : section.metrics)
        add_metric_row(launch, section, metric, units, text);
      if (section.identifier == std::string_view("SpeedOfLight")) add_verdict_row(launch, text);
      for (const insight::RuleResult& each : rules) {
        const PageRule rule = page_rule(each.rule);
        if (section.identifier != std::string_view(rule.section)) continue;
        const bool has_estimate = each.rule != insight::KernelRule::kBusyPipe;
        add_rule_row(launch, rule.section, rule.name, "OPT",
                     fmt::format("{}. {}.", each.reason, insight::next_step_text(each.rule)),
                     !has_estimate   ? ""
                     : each.is_local ? "local"
                                     : "global",
                     has_estimate ? fmt::format("{:.4g}", 100 * each.part) : "", text);
      }
    }
  }
  return text;
}

}  // namespace

base::Result<std::string> ncu_page(const report::ReportReader& reader, NcuPage page,
                                   PageUnits units) {
  if (page == NcuPage::kSource) return source_page(reader);
  const auto launches = read_launches(reader);
  if (!launches) return tl::make_unexpected(launches.error());
  if (launches->empty()) return std::string();
  return page == NcuPage::kRaw ? raw_page(*launches, units) : details_page(*launches, units);
}

}  // namespace prof::stats
