#include "exporters/analysis/source/line_search.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <thread>
#include <utility>

#include "common/base/extra_threads.hpp"
#include "common/base/utf8.hpp"
#include "common/code/symbols/elf_image.hpp"
#include "common/code/symbols/source_lines.hpp"
#include "exporters/analysis/events/call_chains/code_frames.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"

namespace prof::source {

using events::CodeLines;
using events::CodePlace;

namespace {

constexpr unsigned kMaxThreads = 8;
constexpr std::int64_t kNanoseconds = 1'000'000'000;

// A file of code in the report, and its places to look up.
struct File {
  std::string path;
  std::string build_id;  // empty: the file has none
  std::vector<CodePlace> places;
  std::map<std::int64_t, CodeLines::Frames> frames;  // by file offset of the instruction
  std::string reason;                                // why there are no frames
};

std::vector<File> group_by_file(const report::ReportReader& reader,
                                const std::vector<CodePlace>& places) {
  events::Strings strings(reader);
  std::map<std::pair<std::int64_t, std::int64_t>, File> files;
  for (const CodePlace& place : places) {
    File& file = files[{place.module, place.build_id}];
    if (file.places.empty()) {
      file.path = strings.text(place.module);
      if (place.build_id != events::Strings::kNone) file.build_id = strings.text(place.build_id);
    }
    file.places.push_back(place);
  }
  std::vector<File> result;
  result.reserve(files.size());
  for (auto& [id, file] : files) result.push_back(std::move(file));
  // The file with the most places comes first.
  std::ranges::stable_sort(result, std::greater(), [](const File& f) { return f.places.size(); });
  return result;
}

// True if the file was changed after `since` (ns since 1970). The time of status change is
// compared, because a file that was moved to the path keeps its time of modification. Some file
// systems store whole seconds only.
bool was_changed(const std::string& path, std::int64_t since) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return true;
  const timespec& changed = info.st_ctim;
  return changed.tv_nsec == 0 ? changed.tv_sec > since / kNanoseconds
                              : changed.tv_sec * kNanoseconds + changed.tv_nsec > since;
}

// Returns the path of a text in the report, which has \xNN for bytes that are not UTF-8.
std::string path_of(const std::string& text) {
  std::error_code error;
  return std::filesystem::exists(text, error) ? text : base::unescaped_from_utf8(text);
}

// Returns why the file on this machine cannot be used, or an empty text if it is the recorded file.
std::string reason_not_to_use(const File& file, std::int64_t recorded) {
  const auto image = symbols::ElfImage::open(path_of(file.path));
  if (!image) return "cannot be read";
  const std::string build_id = image->build_id();
  if (build_id != file.build_id) return "not the recorded build";
  if (build_id.empty() && was_changed(path_of(file.path), recorded))
    return "changed since the recording";
  return {};
}

CodeLines::Frames to_frames(std::vector<symbols::SourceFrame>&& frames) {
  CodeLines::Frames result;
  for (symbols::SourceFrame& each : frames) {
    // Debug information has paths such as "src/../include".
    std::string file = std::filesystem::path(each.file).lexically_normal().string();
    result.push_back({std::move(each.function), std::move(file), each.line});
  }
  return result;
}

template <class Done>
void look_up(File& file, std::int64_t recorded, const std::vector<std::string>& debug_folders,
             Done done) {
  file.reason = reason_not_to_use(file, recorded);
  if (!file.reason.empty()) return;
  const auto lines = symbols::SourceLines::open(path_of(file.path), debug_folders);
  if (lines)
    for (const CodePlace& place : file.places) {
      const auto [known, is_new] = file.frames.try_emplace(place.instruction());
      if (is_new)
        known->second = to_frames(lines->at(static_cast<std::uint64_t>(place.instruction())));
      done();
    }
  const bool any =
      std::ranges::any_of(file.frames, [](const auto& at) { return !at.second.empty(); });
  if (!any) file.reason = "no debug information";
}

void look_up_all(std::vector<File>& files, std::int64_t recorded,
                 const std::function<void(double)>& progress,
                 const std::vector<std::string>& debug_folders) {
  std::size_t all = 0;
  for (const File& file : files) all += file.places.size();
  const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1U, kMaxThreads);
  std::atomic<std::size_t> next = threads;
  std::atomic<std::size_t> done = 0;
  // Each thread takes the next file until none is left. Only the calling thread reports progress,
  // so it starts with the file that takes longest.
  const auto work = [&](std::size_t file, bool reports) {
    for (; file < files.size(); file = next.fetch_add(1))
      look_up(files[file], recorded, debug_folders, [&] {
        ++done;
        if (reports && progress) progress(static_cast<double>(done) / static_cast<double>(all));
      });
  };
  std::vector<std::jthread> others;
  unsigned without = threads;  // index of the first file that no thread has started
  for (unsigned i = 1; i < threads && i < files.size(); ++i)
    if (!base::add_thread(others, [&work, i] { work(i, false); })) {
      without = i;
      break;
    }
  work(0, true);
  for (; without < threads && without < files.size(); ++without) work(without, true);
  others.clear();  // joins the threads
}

void add(File&& file, FoundLines& found) {
  if (events::is_profiler_library(file.path)) return;  // not the user's code
  ++found.files;
  if (!file.reason.empty()) {
    found.unknown.push_back({std::move(file.path), std::move(file.reason), file.places.size()});
    return;
  }
  std::map<std::int64_t, std::uint32_t> numbers;
  for (auto& [offset, frames] : file.frames)
    if (!frames.empty()) numbers.emplace(offset, found.lines.add(std::move(frames)));
  for (const CodePlace& place : file.places)
    if (const auto number = numbers.find(place.instruction()); number != numbers.end())
      found.lines.set(place, number->second);
}

}  // namespace

base::Result<FoundLines> find_lines(const report::ReportReader& reader,
                                    const std::function<void(double)>& progress,
                                    const std::vector<std::string>& debug_folders) {
  const auto places = events::read_code_places(reader);
  if (!places) return tl::make_unexpected(places.error());
  std::vector<File> files = group_by_file(reader, *places);
  look_up_all(files, events::session_start(reader), progress, debug_folders);
  FoundLines found;
  for (File& file : files) add(std::move(file), found);
  return found;
}

}  // namespace prof::source
