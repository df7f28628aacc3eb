#include "exporters/ranks/partial_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "common/base/held/held_file.hpp"
#include "common/base/temporary_file.hpp"
#include "common/base/unique_fd.hpp"
#include "exporters/ranks/numbers.hpp"

namespace prof::ranks {

using base::Result;
using base::Status;

namespace {

// The first bytes, with the version of the format.
constexpr std::string_view kFileMagic = "prof partial file 3\n";

// The state of a report.
struct State {
  std::uint64_t bytes = 0;
  std::int64_t changed_ns = 0;
  bool operator==(const State&) const = default;
};

Result<State> state_of(const std::string& report) {
  struct stat info {};
  if (stat(report.c_str(), &info) != 0)
    return base::fail(fmt::format("{}: {}", report, std::strerror(errno)));
  constexpr std::int64_t kSecond = 1'000'000'000;
  return State{static_cast<std::uint64_t>(info.st_size),
               info.st_mtim.tv_sec * kSecond + info.st_mtim.tv_nsec};
}

// Reads the events of each rank on its own, so that a reader can leave ranks out.
Result<std::string> content_of(const std::string& report) {
  const auto before = state_of(report);
  if (!before) return tl::make_unexpected(before.error());
  const auto reader = report::ReportReader::open(report);
  if (!reader) return tl::make_unexpected(reader.error());
  const auto ranks = ranks_of(*reader);
  if (!ranks) return tl::make_unexpected(ranks.error());
  const auto head = read_head(*reader);
  if (!head) return tl::make_unexpected(head.error());
  std::vector<std::string> parts;
  for (const ReportRank& rank : *ranks) {
    const auto partial = map_report(*reader, {rank}, requests_of_files());
    if (!partial) return tl::make_unexpected(partial.error());
    parts.push_back(bytes_of(*partial));
  }
  if (!reader->faulty().empty() || !reader->too_deep().empty())
    return base::fail("the report has damaged events");
  if (const auto after = state_of(report); !after || *after != *before)
    return base::fail("the report changes while it is read");
  std::string bytes(kFileMagic);
  append_number(bytes, before->bytes);
  append_number(bytes, static_cast<std::uint64_t>(before->changed_ns));
  append_text(bytes, PROF_VERSION);
  append_text(bytes, bytes_of(*head));
  append_number(bytes, reader->remarks().size());
  for (const std::string& remark : reader->remarks()) append_text(bytes, remark);
  append_number(bytes, parts.size());
  for (const std::string& part : parts) append_text(bytes, part);
  return bytes;
}

Status write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return base::fail(std::strerror(written < 0 ? errno : ENOSPC));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Status replace(const std::string& path, std::string_view bytes) {
  const std::string temporary = base::temporary_name(path);
  std::remove(temporary.c_str());
  const base::UniqueFd file = base::create_held_file(temporary);
  if (!file) return base::fail(std::strerror(errno));
  Status written = write_all(file.get(), bytes);
  if (written && std::rename(temporary.c_str(), path.c_str()) != 0)
    written = base::fail(std::strerror(errno));
  if (!written) std::remove(temporary.c_str());
  return written;
}

// What a file has, before it is compared with the report.
struct Content {
  State state;
  std::string version;
  std::string head;  // bytes of a ReportHead
  std::vector<std::string> remarks;
  std::vector<Sums> sums;
};

Result<std::vector<std::string>> read_texts(std::string_view& bytes) {
  const auto count = read_number(bytes);
  if (!count) return tl::make_unexpected(count.error());
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < *count; ++i) {
    auto text = read_text(bytes);
    if (!text) return tl::make_unexpected(text.error());
    texts.push_back(*std::move(text));
  }
  return texts;
}

// Reads what comes first, and removes it from the bytes.
Result<Content> start_of(std::string_view& bytes) {
  if (!bytes.starts_with(kFileMagic)) return base::fail("it is not a file of this version of prof");
  bytes.remove_prefix(kFileMagic.size());
  Content content;
  const auto size = read_number(bytes);
  const auto changed = size ? read_number(bytes) : size;
  if (!changed) return tl::make_unexpected(changed.error());
  content.state = {*size, static_cast<std::int64_t>(*changed)};
  auto version = read_text(bytes);
  if (!version) return tl::make_unexpected(version.error());
  content.version = *std::move(version);
  auto head = read_text(bytes);
  if (!head) return tl::make_unexpected(head.error());
  content.head = *std::move(head);
  return content;
}

Result<Content> content_in(std::string_view bytes) {
  auto start = start_of(bytes);
  if (!start) return start;
  Content content = *std::move(start);
  auto remarks = read_texts(bytes);
  if (!remarks) return tl::make_unexpected(remarks.error());
  content.remarks = *std::move(remarks);
  const auto parts = read_texts(bytes);
  if (!parts) return tl::make_unexpected(parts.error());
  for (const std::string& part : *parts) {
    auto partial = partial_of(part);
    if (!partial) return tl::make_unexpected(partial.error());
    if (partial->size() != 1) return base::fail("it is damaged");
    content.sums.push_back(std::move(partial->begin()->second));
  }
  if (!bytes.empty()) return base::fail("it has bytes after its end");
  return content;
}

// Fails if the file was made by another version, or of another state of the report.
Status check(const Content& content, const std::string& report) {
  if (content.version != PROF_VERSION)
    return base::fail(fmt::format("prof {} made it", content.version));
  const auto state = state_of(report);
  if (!state) return tl::make_unexpected(state.error());
  if (*state != content.state) return base::fail("the report has another size or time since then");
  return {};
}

// Returns the first bytes of a file, `most` or all.
Result<std::string> first_bytes(std::ifstream& file, std::size_t most) {
  std::string bytes(most, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(most));
  if (file.gcount() == 0) return base::fail("it cannot be read");
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

// Returns nothing if the events must be read.
std::optional<Partial> from_file(const report::ReportReader& reader,
                                 const std::vector<ReportRank>& ranks,
                                 const std::vector<Request>& requests,
                                 const report::EventFilter& filter, bool without_sketches,
                                 std::string& unfit) {
  const bool has_file = access(partial_path(reader.path()).c_str(), F_OK) == 0;
  if (!has_file || filter != report::EventFilter()) return {};
  const auto file = PartialFile::read(reader.path());
  if (!file) unfit = file.error().message;
  if (!file || !file->has(ranks, requests, without_sketches)) return {};
  return file->partial(reader, ranks, requests, without_sketches ? kUnlimited : Limits());
}

}  // namespace

std::string partial_path(const std::string& report) { return report + ".partial"; }

Status write_partial_file(const std::string& report) {
  const auto content = content_of(report);
  if (!content) return tl::make_unexpected(content.error());
  const std::string path = partial_path(report);
  if (const Status written = replace(path, *content); !written)
    return base::fail(fmt::format("cannot write {}: {}", path, written.error().message));
  return {};
}

Result<ReportHead> read_partial_head(const std::string& report) {
  // The head of a report of one rank is shorter than that. It is at the start of the file.
  constexpr std::size_t kUsual = 16 << 10;
  constexpr std::size_t kMost = 64 << 20;
  std::ifstream file(partial_path(report), std::ios::binary);
  for (std::size_t size = kUsual;; size = kMost) {
    file.clear();
    file.seekg(0);
    const auto bytes = first_bytes(file, size);
    if (!bytes) return tl::make_unexpected(bytes.error());
    std::string_view rest = *bytes;
    const auto content = start_of(rest);
    if (!content && (size == kMost || bytes->size() < size))
      return tl::make_unexpected(content.error());
    if (!content) continue;
    if (const Status fits = check(*content, report); !fits)
      return tl::make_unexpected(fits.error());
    return head_of(content->head);
  }
}

Result<PartialFile> PartialFile::read(const std::string& report) {
  std::ifstream file(partial_path(report), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file) return base::fail("it cannot be read");
  auto content = content_in(bytes);
  if (!content) return tl::make_unexpected(content.error());
  if (const Status fits = check(*content, report); !fits) return tl::make_unexpected(fits.error());
  PartialFile result;
  result.sums_ = std::move(content->sums);
  result.remarks_ = std::move(content->remarks);
  return result;
}

bool PartialFile::has(const std::vector<ReportRank>& ranks, const std::vector<Request>& requests,
                      bool without_sketches) const {
  return std::ranges::all_of(ranks, [&](const ReportRank& rank) {
    return rank.place < sums_.size() && std::ranges::all_of(requests, [&](const Request& request) {
             const auto found = sums_[rank.place].find(request.name);
             return found != sums_[rank.place].end() &&
                    !(without_sketches && has_sketches(found->second));
           });
  });
}

Partial PartialFile::partial(const report::ReportReader& reader,
                             const std::vector<ReportRank>& ranks,
                             const std::vector<Request>& requests, const Limits& limits) const {
  Partial partial;
  for (const ReportRank& rank : ranks) {
    Partial part;
    for (const Request& request : requests)
      part[rank.unit][request.name] = sums_[rank.place].at(request.name);
    merge(partial, part, limits);  // a rank may have several attempts
  }
  for (const std::string& remark : remarks_) reader.remark(remark);
  return partial;
}

Result<Partial> read_or_map(const report::ReportReader& reader,
                            const std::vector<ReportRank>& ranks,
                            const std::vector<Request>& requests, const report::EventFilter& filter,
                            std::string& unfit) {
  const auto partial = from_file(reader, ranks, requests, filter, false, unfit);
  return partial ? *partial : map_report(reader, ranks, requests, filter);
}

Result<Partial> read_or_map_values(const report::ReportReader& reader,
                                   const std::vector<ReportRank>& ranks,
                                   const std::vector<Request>& requests,
                                   const report::EventFilter& filter) {
  std::string unfit;
  const auto partial = from_file(reader, ranks, requests, filter, true, unfit);
  return partial ? *partial : map_report(reader, ranks, requests, filter, kUnlimited);
}

}  // namespace prof::ranks
