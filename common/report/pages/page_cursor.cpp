#include "common/report/pages/page_cursor.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace prof::report {

namespace {

constexpr std::uint8_t kLeaf = 13;
constexpr std::uint8_t kInterior = 5;
constexpr std::size_t kFileHeader = 100;
constexpr std::size_t kMaxLevels = 20;
constexpr std::uint32_t kReadAhead = 32;  // pages
constexpr std::size_t kMaxWindowBytes = 256 << 10;

std::uint32_t big16(const std::uint8_t* at) { return std::uint32_t{at[0]} << 8 | at[1]; }
std::uint32_t big32(const std::uint8_t* at) { return big16(at) << 16 | big16(at + 2); }

// Page 1 begins with the file's header.
std::size_t header_offset(std::uint32_t page) { return page == 1 ? kFileHeader : 0; }

std::uint32_t root_page(const ReportReader& reader, std::string_view table) {
  auto query =
      reader.prepare("SELECT rootpage FROM main.sqlite_master WHERE type = 'table' AND name = ?");
  if (!query) return 0;
  query->bind(1, table);
  const auto row = query->step();
  return row && *row ? static_cast<std::uint32_t>(query->integer(0)) : 0;
}

}  // namespace

std::uint64_t read_varint(const std::uint8_t*& at, const std::uint8_t* end) {
  std::uint64_t value = 0;
  for (int i = 0; i < 9 && at < end; ++i) {
    const std::uint8_t byte = *at++;
    if (i == 8) return value << 8 | byte;
    value = value << 7 | (byte & 0x7f);
    if (byte < 0x80) return value;
  }
  at = nullptr;
  return 0;
}

std::optional<PageCursor> PageCursor::open(const ReportReader& reader, std::string_view table) {
  if (!reader.is_one_file()) return std::nullopt;
  const std::uint32_t root = root_page(reader, table);
  sqlite3_file* file = nullptr;
  sqlite3_file_control(reader.database(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (root == 0 || file == nullptr || file->pMethods == nullptr) return std::nullopt;
  PageCursor cursor(file);
  if (!cursor.read_header() || root > cursor.pages_) return std::nullopt;
  const std::uint8_t* page = cursor.load(root);
  const std::uint8_t type = page == nullptr ? 0 : page[header_offset(root)];
  if (type != kLeaf && type != kInterior) return std::nullopt;
  cursor.enter(root);
  return cursor;
}

bool PageCursor::read(void* to, std::size_t bytes, std::uint64_t offset) const {
  return file_->pMethods->xRead(file_, to, static_cast<int>(bytes),
                                static_cast<sqlite3_int64>(offset)) == SQLITE_OK;
}

// Reads the file's header. Returns false if only SQLite can read the file.
bool PageCursor::read_header() {
  std::array<std::uint8_t, kFileHeader> header{};
  sqlite3_int64 size = 0;
  if (!read(header.data(), header.size(), 0) ||
      file_->pMethods->xFileSize(file_, &size) != SQLITE_OK)
    return false;
  page_size_ = big16(&header[16]) == 1 ? 65536 : big16(&header[16]);
  constexpr std::size_t kMinPage = 512;
  if (page_size_ < kMinPage || (page_size_ & (page_size_ - 1)) != 0) return false;
  usable_ = page_size_ - header[20];
  constexpr std::size_t kMinUsable = 480;
  const std::uint64_t pages = static_cast<std::uint64_t>(size) / page_size_;
  pages_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(pages, UINT32_MAX));
  const bool is_utf8 = big32(&header[56]) == 1;
  return is_utf8 && usable_ >= kMinUsable;
}

// Returns a page, or null. The page is valid until the next call.
const std::uint8_t* PageCursor::load(std::uint32_t page) {
  if (page == 0 || page > pages_) return nullptr;
  const bool follows = page == last_page_ + 1;
  last_page_ = page;
  if (page < window_first_ || page >= window_first_ + window_pages_) {
    const auto most = static_cast<std::uint32_t>(kMaxWindowBytes / page_size_);
    window_pages_ = follows ? std::min({kReadAhead, most, pages_ - page + 1}) : 1;
    window_first_ = page;
    window_.resize(window_pages_ * page_size_ + StoredRow::kPadding);
    if (!read(window_.data(), window_pages_ * page_size_,
              static_cast<std::uint64_t>(page - 1) * page_size_)) {
      window_pages_ = 0;
      return nullptr;
    }
  }
  return window_.data() + (page - window_first_) * page_size_;
}

// Visits a page: a leaf becomes the current leaf, an interior page becomes a new level.
bool PageCursor::enter(std::uint32_t number) {
  const std::uint8_t* page = load(number);
  // A page is visited twice if it is below itself or below two other pages.
  if (page == nullptr || ++visited_ > pages_) return damaged();
  const std::uint8_t* header = page + header_offset(number);
  if (header[0] == kInterior) return read_interior(page, header);
  if (header[0] != kLeaf) return damaged();
  leaf_ = page;
  cells_ = header + 8;
  cell_ = 0;
  cell_count_ = big16(header + 3);
  if (cells_ + 2 * cell_count_ > page + usable_) return damaged();
  return true;
}

bool PageCursor::read_interior(const std::uint8_t* page, const std::uint8_t* header) {
  const std::size_t count = big16(header + 3);
  const std::uint8_t* cells = header + 12;
  if (levels_.size() >= kMaxLevels || cells + 2 * count > page + usable_) return damaged();
  Level level;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t offset = big16(cells + 2 * i);
    if (offset + 4 > usable_) return damaged();
    level.children.push_back(big32(page + offset));
  }
  level.children.push_back(big32(header + 8));
  levels_.push_back(std::move(level));
  cell_count_ = 0;
  return true;
}

bool PageCursor::next_leaf() {
  while (!levels_.empty() && !is_damaged_) {
    Level& level = levels_.back();
    if (level.next == level.children.size()) {
      levels_.pop_back();
      continue;
    }
    if (!enter(level.children[level.next++])) return false;
    if (cell_count_ > 0) return true;
  }
  return false;
}

bool PageCursor::next(StoredRow& row) {
  if (is_damaged_ || (cell_ == cell_count_ && !next_leaf())) return false;
  const std::size_t offset = big16(cells_ + 2 * cell_++);
  if (offset >= usable_) return damaged();
  return read_cell(leaf_ + offset, row);
}

bool PageCursor::read_cell(const std::uint8_t* cell, StoredRow& row) {
  const std::uint8_t* end = leaf_ + usable_;
  const std::uint64_t size = read_varint(cell, end);
  if (cell == nullptr) return damaged();
  row.rowid = static_cast<std::int64_t>(read_varint(cell, end));
  if (cell == nullptr) return damaged();
  if (size > usable_ - 35) {
    // The names are those of the file format, which defines how much of a long row is on the leaf.
    const std::size_t least = (usable_ - 12) * 32 / 255 - 23;
    const std::size_t wanted = least + (size - least) % (usable_ - 4);
    return read_overflow(cell, wanted <= usable_ - 35 ? wanted : least, size, row);
  }
  if (size > static_cast<std::size_t>(end - cell)) return damaged();
  row.data = cell;
  row.size = size;
  return true;
}

bool PageCursor::read_overflow(const std::uint8_t* local, std::size_t local_size,
                               std::uint64_t size, StoredRow& row) {
  if (local_size + 4 > static_cast<std::size_t>(leaf_ + usable_ - local) ||
      size > static_cast<std::uint64_t>(pages_) * usable_)
    return damaged();
  overflow_.resize(size + StoredRow::kPadding);
  std::memcpy(overflow_.data(), local, local_size);
  std::size_t done = local_size;
  std::array<std::uint8_t, 4> next{};
  std::memcpy(next.data(), local + local_size, next.size());
  // This does not use load(), which would replace the leaf.
  for (std::uint32_t page = big32(next.data()); done < size; page = big32(next.data())) {
    const std::size_t part = std::min<std::size_t>(size - done, usable_ - 4);
    const std::uint64_t offset = (static_cast<std::uint64_t>(page) - 1) * page_size_;
    if (page == 0 || page > pages_ || !read(next.data(), next.size(), offset) ||
        !read(overflow_.data() + done, part, offset + next.size()))
      return damaged();
    done += part;
  }
  row.data = overflow_.data();
  row.size = size;
  return true;
}

}  // namespace prof::report
