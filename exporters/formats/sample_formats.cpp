#include "exporters/formats/sample_formats.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace prof::formats {

namespace {

using events::FrameDetail;

constexpr SampleFormat kFormats[] = {
    {"collapsed", FrameDetail::kFunction, FrameDetail::kLine, false, write_collapsed},
    {"speedscope", FrameDetail::kFunction, FrameDetail::kLine, false, write_speedscope},
    {"pprof", FrameDetail::kAddress, FrameDetail::kAddress, true, write_pprof},
    {"firefox", FrameDetail::kLine, FrameDetail::kInlineDepth, false, write_firefox},
};

// The names in the order of SampleKind.
constexpr std::string_view kKinds[] = {"cpu", "python", "osrt", "cuda"};

// Returns the other kinds of samples that the report has, for the message that it lacks the wanted
// kind.
std::string other_samples(const report::ReportReader& reader) {
  std::string options;
  for (std::size_t i = 0; i < std::size(kKinds); ++i)
    if (const auto kind = static_cast<events::SampleKind>(i);
        reader.has_table(events::sample_table(kind)) &&
        reader.has_table(events::sample_call_chain_table(kind)))
      options += fmt::format("{} --samples={}", options.empty() ? ". It has:" : ",", kKinds[i]);
  return options;
}

}  // namespace

std::span<const SampleFormat> sample_formats() { return kFormats; }

std::optional<events::SampleKind> sample_kind(std::string_view name) {
  const auto found = std::find(std::begin(kKinds), std::end(kKinds), name);
  if (found == std::end(kKinds)) return std::nullopt;
  return static_cast<events::SampleKind>(found - std::begin(kKinds));
}

base::Status export_samples(const report::ReportReader& reader, const SampleFormat& format,
                            events::SampleKind kind, const SampleLines& lines,
                            const Output& output) {
  const bool shows_lines = lines.lines != nullptr && lines.are_shown;
  const bool is_of_functions = format.detail == events::FrameDetail::kFunction;
  const auto profile =
      SampleProfile::read(reader, kind, shows_lines ? format.detail_with_lines : format.detail,
                          shows_lines || is_of_functions ? lines.lines : nullptr);
  if (!profile) return tl::make_unexpected(profile.error());
  if ((*profile)->samples().empty())
    return base::fail(fmt::format("{} has no {} samples ({}){}", reader.path(),
                                  kKinds[static_cast<std::size_t>(kind)],
                                  events::sample_table(kind), other_samples(reader)));
  return format.write(**profile, reader, output);
}

}  // namespace prof::formats
