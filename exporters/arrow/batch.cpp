#include "exporters/arrow/batch.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <utility>

#include "common/base/utf8.hpp"

namespace prof::arrow {

namespace {

constexpr std::size_t kAlignment = 64;

std::size_t width_of(ColumnType type) {
  switch (type) {
    case ColumnType::kInt32:
    case ColumnType::kUint32:
    case ColumnType::kFloat:
    case ColumnType::kName:
      return 4;
    case ColumnType::kBool:
      return 0;
    default:
      return 8;
  }
}

bool has_text(ColumnType type) { return type == ColumnType::kText || type == ColumnType::kBytes; }

void set_bit(Memory& bits, std::size_t index, bool value) {
  const auto bit = static_cast<std::uint8_t>(1U << (index % 8));
  std::uint8_t& byte = bits.data()[index / 8];
  byte = static_cast<std::uint8_t>(value ? byte | bit : byte & ~bit);
}

// Returns the memory that arrays of uniform values share. It is never freed, because an array may
// exist as long as the library.
const std::uint8_t* zeros() {
  alignas(kAlignment) static std::array<std::uint8_t, 8 * (kMaxUniformRows + 1)> all;
  return all.data();
}
template <class T>
const T* ones() {
  static const auto& all = *new std::vector<T>(kMaxUniformRows, 1);
  return all.data();
}

const void* uniform_values(Uniform value, std::size_t width) {
  if (value != Uniform::kOne) return zeros();
  if (width == 4) return ones<std::int32_t>();
  return ones<std::int64_t>();
}

// The memory that an exported array owns.
struct OwnedArray {
  Memory values, valid, text;
  std::array<const void*, 3> buffers{};
};
struct OwnedParent {
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
  const void* no_bits = nullptr;
};

void release_array(ArrowArray* array) {
  if (array->dictionary != nullptr) {
    if (array->dictionary->release != nullptr) array->dictionary->release(array->dictionary);
    delete array->dictionary;
  }
  delete static_cast<OwnedArray*>(array->private_data);
  array->release = nullptr;
}

void release_parent(ArrowArray* array) {
  auto* owned = static_cast<OwnedParent*>(array->private_data);
  for (ArrowArray& child : owned->children)
    if (child.release != nullptr) child.release(&child);
  delete owned;
  array->release = nullptr;
}

}  // namespace

void Memory::grow(std::size_t size, std::size_t kept) {
  if (size <= size_) return;
  size = (size + kAlignment - 1) / kAlignment * kAlignment;
  auto* bytes = static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, size));
  if (bytes == nullptr) throw std::bad_alloc();
  if (kept > 0) std::memcpy(bytes, bytes_.get(), kept);
  bytes_.reset(bytes);
  size_ = size;
}

ColumnValues::ColumnValues(ColumnType type, std::size_t most_rows)
    : type_(type), most_rows_(most_rows) {
  const std::size_t width = width_of(type);
  values_.grow(width == 0 ? most_rows / 8 + 1 : width * (most_rows + 1), 0);
  if (width == 0) std::memset(values_.data(), 0, values_.size());
  if (has_text(type)) end_text();
}

bool ColumnValues::add_unusual_integer(std::int64_t value) {
  if (type_ == ColumnType::kDouble || type_ == ColumnType::kFloat)
    return add_real(static_cast<double>(value));
  if (has_text(type_)) return add_text(std::to_string(value));
  if (type_ == ColumnType::kName) {
    put(number_of(value));
    return true;
  }
  set_bit(values_, rows_++, value != 0);
  return value == 0 || value == 1;
}

// Returns the number of an id in the dictionary of this batch.
std::int32_t ColumnValues::number_of(std::int64_t id) {
  const auto [at, is_new] = numbers_.try_emplace(id, static_cast<std::int32_t>(ids_.size()));
  if (is_new) ids_.push_back(id);
  return at->second;
}

void ColumnValues::add_dictionary(ArrowArray& out, const NameOf& name_of) const {
  ColumnValues texts(ColumnType::kText, ids_.size());
  for (const std::int64_t id : ids_) texts.add_text(name_of(id));
  auto dictionary = std::make_unique<ArrowArray>();
  texts.move_to(*dictionary, name_of);
  out.dictionary = dictionary.release();
}

bool ColumnValues::add_real(double value) {
  if (type_ == ColumnType::kFloat)
    put(static_cast<float>(value));
  else
    put(value);
  return type_ == ColumnType::kFloat || type_ == ColumnType::kDouble;
}

bool ColumnValues::add_text(std::string_view text) {
  if (!has_text(type_)) return false;
  std::string escaped;
  if (type_ == ColumnType::kText && !base::is_utf8(text)) {
    escaped = base::escaped_to_utf8(text);
    text = escaped;
  }
  if (text_size_ + text.size() > text_.size())
    text_.grow(std::max(2 * text_.size(), text_size_ + text.size()), text_size_);
  if (!text.empty()) std::memcpy(text_.data() + text_size_, text.data(), text.size());
  text_size_ += text.size();
  end_text();
  return true;
}

void ColumnValues::begin_validity() {
  valid_.grow(most_rows_ / 8 + 1, 0);
  std::memset(valid_.data(), 0xff, valid_.size());
}

void ColumnValues::add_null() {
  const std::size_t row = has_text(type_) ? rows_ - 1 : rows_;
  if (nulls_++ == 0) begin_validity();
  set_bit(valid_, row, false);
  if (has_text(type_))
    end_text();
  else if (type_ == ColumnType::kBool)
    ++rows_;
  else if (width_of(type_) == 4)
    put(std::int32_t{0});
  else
    put(std::int64_t{0});
}

void ColumnValues::add_uniform(Uniform value, std::size_t rows) {
  const std::size_t width = integer_width(type_);
  if (width == 0) {
    for (std::size_t i = 0; i < rows; ++i) add_null();
    return;
  }
  if (value != Uniform::kOne)
    std::memset(values_.data(), 0, width * rows);
  else if (width == 4)
    std::fill_n(reinterpret_cast<std::int32_t*>(values_.data()), rows, 1);
  else
    std::fill_n(reinterpret_cast<std::int64_t*>(values_.data()), rows, 1);
  rows_ = rows;
  if (value != Uniform::kNull || rows == 0) return;
  nulls_ = rows;
  begin_validity();
  std::memset(valid_.data(), 0, rows / 8);
  for (std::size_t i = rows / 8 * 8; i < rows; ++i) set_bit(valid_, i, false);
}

void ColumnValues::set_uniform(Uniform value, std::size_t rows) {
  uniform_ = value;
  rows_ = has_text(type_) ? rows + 1 : rows;
  nulls_ = value == Uniform::kNull ? rows : 0;
}

void ColumnValues::move_to(ArrowArray& out, const NameOf& name_of) {
  if (has_text(type_)) text_.grow(1, 0);  // Arrow requires a buffer even for zero bytes
  auto owned = std::make_unique<OwnedArray>();
  if (!uniform_) {
    owned->values = std::move(values_);
    owned->valid = std::move(valid_);
    owned->text = std::move(text_);
  }
  owned->buffers = {owned->valid.data(), owned->values.data(), owned->text.data()};
  if (uniform_)
    owned->buffers = {*uniform_ == Uniform::kNull ? zeros() : nullptr,
                      uniform_values(*uniform_, width_of(type_)), zeros()};
  out = {};
  out.length = static_cast<std::int64_t>(has_text(type_) ? rows_ - 1 : rows_);
  out.null_count = static_cast<std::int64_t>(nulls_);
  out.n_buffers = has_text(type_) ? 3 : 2;
  out.buffers = owned->buffers.data();
  out.release = release_array;
  out.private_data = owned.release();
  if (type_ == ColumnType::kName) add_dictionary(out, name_of);
}

Batch::Batch(const Schema& schema, std::size_t most_rows) : most_rows_(most_rows) {
  columns_.reserve(schema.columns.size());
  for (const Column& column : schema.columns) columns_.emplace_back(column.type, most_rows);
}

void Batch::move_to(ArrowArray& out, const NameOf& name_of) {
  auto owned = std::make_unique<OwnedParent>();
  owned->children.resize(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    columns_[i].move_to(owned->children[i], name_of);
    owned->pointers.push_back(&owned->children[i]);
  }
  out = {};
  out.length = static_cast<std::int64_t>(rows_);
  out.n_buffers = 1;
  out.buffers = &owned->no_bits;
  out.n_children = static_cast<std::int64_t>(columns_.size());
  out.children = owned->pointers.data();
  out.release = release_parent;
  out.private_data = owned.release();
}

}  // namespace prof::arrow
