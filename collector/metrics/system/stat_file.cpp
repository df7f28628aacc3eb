#include "collector/metrics/system/stat_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "collector/metrics/counter_reader.hpp"

namespace prof::metrics {

namespace {

constexpr std::size_t kFirstSize = 4096;
constexpr std::size_t kLargestSize = std::size_t{4} << 20;

std::optional<double> number_of(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

bool is_blank(char each) { return each == ' ' || each == '\t' || each == '\n'; }

}  // namespace

StatFile::StatFile(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

// The kernel makes the text of such a file again each time it is read from the start.
std::string_view StatFile::read() {
  if (!fd_) return {};
  if (text_.empty()) text_.resize(kFirstSize);
  std::size_t size = 0;
  while (true) {
    const ssize_t got =
        pread(fd_.get(), text_.data() + size, text_.size() - size, static_cast<off_t>(size));
    if (got <= 0) return got < 0 ? std::string_view() : std::string_view(text_.data(), size);
    size += static_cast<std::size_t>(got);
    if (size < text_.size()) continue;
    if (size >= kLargestSize) return {text_.data(), size};
    text_.resize(2 * size);
  }
}

std::optional<double> StatFile::read_number() {
  std::string_view text = read();
  return number_of(take_word(text));
}

std::string_view SharedStatFile::text(std::uint64_t& seen) {
  if (seen == reading_) {
    text_ = file_.read();
    ++reading_;
  }
  seen = reading_;
  return text_;
}

std::string_view take_word(std::string_view& text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  std::size_t size = 0;
  while (size < text.size() && !is_blank(text[size])) ++size;
  const std::string_view word = text.substr(0, size);
  text.remove_prefix(size);
  return word;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

std::vector<double> numbers_of(std::string_view line) {
  std::vector<double> numbers;
  while (const auto number = number_of(take_word(line))) numbers.push_back(*number);
  return numbers;
}

std::optional<std::string_view> line_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = take_line(text);
    if (!line.starts_with(key) || line.size() == key.size()) continue;
    line.remove_prefix(key.size());
    if (line.front() != ' ' && line.front() != ':') continue;
    line.remove_prefix(1);
    return line;
  }
  return std::nullopt;
}

double number_after(std::string_view text, std::string_view key) {
  auto line = line_of(text, key);
  return line ? number_of(take_word(*line)).value_or(kNoValue) : kNoValue;
}

std::vector<std::string> entries_of(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace prof::metrics
