#include "exporters/formats/trace/slice_sorter.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "common/base/unnamed_file.hpp"

namespace prof::formats {

namespace {

constexpr std::size_t kReadAtOnce = 8 << 10;  // number of slices that are read of a run at once

base::UniqueFd create_file() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  return error ? base::UniqueFd() : base::create_unnamed_file(folder.string());
}

bool write_slices(int file, const std::vector<Slice>& slices, std::size_t place) {
  const auto* data = reinterpret_cast<const char*>(slices.data());
  std::size_t left = slices.size() * sizeof(Slice);
  auto at = static_cast<off_t>(place * sizeof(Slice));
  while (left > 0) {
    const ssize_t written = pwrite(file, data, left, at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    data += written;
    left -= static_cast<std::size_t>(written);
    at += written;
  }
  return true;
}

}  // namespace

void SliceSorter::write_run() {
  if (!file_) file_ = create_file();
  sort();
  can_write_ = file_ && write_slices(file_.get(), slices_, written_);
  if (!can_write_) return;
  runs_.push_back({written_, slices_.size()});
  written_ += slices_.size();
  slices_.clear();
}

// Advances to the run's next slice. Returns false if there is none.
base::Result<bool> SliceSorter::advance(Run& run) const {
  if (++run.next < run.slices.size()) return true;
  const std::size_t count = std::min(run.unread, kReadAtOnce);
  run.slices.resize(count);
  run.next = 0;
  auto* data = reinterpret_cast<char*>(run.slices.data());
  std::size_t left = count * sizeof(Slice);
  auto at = static_cast<off_t>(run.place * sizeof(Slice));
  while (left > 0) {
    const ssize_t read = pread(file_.get(), data, left, at);
    if (read < 0 && errno == EINTR) continue;
    if (read <= 0)
      return base::fail_errno("cannot read a temporary file of prof", read == 0 ? EIO : errno);
    data += read;
    left -= static_cast<std::size_t>(read);
    at += read;
  }
  run.place += count;
  run.unread -= count;
  return count > 0;
}

base::Status SliceSorter::merge(const std::function<void(const Slice&)>& visit) {
  // The newest slices are the last run, which is entirely in memory.
  runs_.push_back({0, 0, std::move(slices_), SIZE_MAX});
  std::vector<std::size_t> heap;
  // std::push_heap() keeps the greatest element first, so the order is reversed.
  const auto comes_later = [&](std::size_t a, std::size_t b) {
    const Slice& first_of_a = runs_[a].first();
    const Slice& first_of_b = runs_[b].first();
    if (shown_before(first_of_a, first_of_b)) return false;
    return shown_before(first_of_b, first_of_a) || a > b;
  };
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const auto has_slice = advance(runs_[i]);
    if (!has_slice) return tl::make_unexpected(has_slice.error());
    if (!*has_slice) continue;
    heap.push_back(i);
    std::push_heap(heap.begin(), heap.end(), comes_later);
  }
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), comes_later);
    const std::size_t number = heap.back();
    heap.pop_back();
    Run& run = runs_[number];
    // In most reports all slices of a run are before those of the next one.
    bool has_slice = true;
    while (has_slice && (heap.empty() || comes_later(heap.front(), number))) {
      visit(run.first());
      const auto advanced = advance(run);
      if (!advanced) return tl::make_unexpected(advanced.error());
      has_slice = *advanced;
    }
    if (!has_slice) continue;
    heap.push_back(number);
    std::push_heap(heap.begin(), heap.end(), comes_later);
  }
  return {};
}

}  // namespace prof::formats
