#include "injection/python/operators/argument_text.hpp"

#include <cstring>

#include "common/wire/hash.hpp"
#include "common/wire/records.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/core/text.hpp"
#include "injection/python/operators/number_text.hpp"

namespace prof::python {

namespace {

constexpr std::size_t kMaxDimensions = 64;
constexpr std::size_t kMaxElements = 32;  // of a list of numbers
constexpr int kMaxDepth = 3;              // of lists in lists

// A tensor: its type, sizes and strides.
struct Tensor {
  bool is_known = false;  // false: undefined, sparse, nested or of another special kind
  std::uint16_t type = 0;
  std::size_t dimensions = 0;
  const std::uint64_t* sizes = nullptr;
  const std::uint64_t* strides = nullptr;

  bool is_contiguous() const {
    std::uint64_t stride = 1;
    for (std::size_t i = dimensions; i-- > 0; stride *= sizes[i]) {
      if (sizes[i] == 0) return true;
      if (sizes[i] != 1 && strides[i] != stride) return false;
    }
    return true;
  }
};

Tensor tensor_of(const TorchLayout& layout, std::uint64_t address) {
  const auto* object = reinterpret_cast<const void*>(address);
  if (object == nullptr || word_at(object, 0) != layout.dense) return {};
  Tensor tensor{.is_known = true};
  std::memcpy(&tensor.type, static_cast<const char*>(object) + layout.type, sizeof tensor.type);
  tensor.dimensions = word_at(object, layout.sizes);
  if (tensor.dimensions > kMaxDimensions) return {};
  const bool is_inside = tensor.dimensions <= kInlineDimensions;
  tensor.sizes = is_inside
                     ? reinterpret_cast<const std::uint64_t*>(address + layout.sizes + 8)
                     : reinterpret_cast<const std::uint64_t*>(word_at(object, layout.sizes + 8));
  tensor.strides = tensor.sizes + (is_inside ? kInlineDimensions : tensor.dimensions);
  return tensor;
}

struct Elements {
  const Value* first;
  const Value* end;

  std::size_t count() const { return static_cast<std::size_t>(end - first); }
  bool are_tensors(const TorchLayout& layout) const {
    for (const Value* each = first; each != end; ++each)
      if (each->tag != layout.tensor_tag) return false;
    return first != end;
  }
};

Elements elements_of(const TorchLayout& layout, std::uint64_t list) {
  const auto* object = reinterpret_cast<const void*>(list);
  return {reinterpret_cast<const Value*>(word_at(object, layout.list)),
          reinterpret_cast<const Value*>(word_at(object, layout.list + 8))};
}

// The words that make a key.
class KeyWords {
 public:
  explicit KeyWords(const TorchLayout& layout, bool has_values)
      : layout_(layout), has_values_(has_values) {}

  void add(std::uint64_t word) {
    if (count_ == kRoom) {
      words_[0] = hash();
      count_ = 1;
    }
    words_[count_++] = word;
  }
  void add(const Value& value, int depth) {
    if (value.tag == layout_.tensor_tag) return add_tensor(value.payload);
    add(value.tag);
    if (value.tag == layout_.list_tag) {
      if (depth < kMaxDepth) add_list(elements_of(layout_, value.payload), depth);
    } else if (!has_values_) {
      return;
    } else if (value.tag == layout_.flag_tag) {
      add(value.payload & 0xff);
    } else if (value.tag == layout_.integer_tag || value.tag == layout_.number_tag) {
      add(value.payload);
    }
  }
  std::uint64_t hash() const {
    return wire::hash_text(reinterpret_cast<const char*>(words_), count_ * sizeof *words_);
  }

 private:
  void add_tensor(std::uint64_t address) {
    const Tensor tensor = tensor_of(layout_, address);
    add((std::uint64_t{tensor.type} << 32) | (tensor.dimensions << 1) | tensor.is_known);
    for (std::size_t i = 0; i < tensor.dimensions; ++i) {
      add(tensor.sizes[i]);
      add(tensor.strides[i]);
    }
  }
  void add_list(const Elements& elements, int depth) {
    add(elements.count());
    for (const Value* each = elements.first; each != elements.end; ++each) add(*each, depth + 1);
  }

  static constexpr std::size_t kRoom = 256;
  const TorchLayout& layout_;
  bool has_values_;
  std::size_t count_ = 0;
  std::uint64_t words_[kRoom];
};

// Writes lists of what arguments are. A list of tensors counts as that many arguments.
class ListWriter {
 public:
  ListWriter(const TorchLayout& layout, const TorchTypes& types, bool has_values, core::Text& text)
      : layout_(layout), types_(types), has_values_(has_values), text_(text) {}

  void write_sizes(const Value* arguments, std::size_t count) {
    for_each(arguments, count, [&](const Value& value) {
      const Tensor tensor =
          value.tag == layout_.tensor_tag ? tensor_of(layout_, value.payload) : Tensor{};
      add_numbers(tensor.sizes, tensor.dimensions);
    });
  }
  void write_arguments(const Value* arguments, std::size_t count) {
    for_each(arguments, count, [&](const Value& value) { add_argument(value, 0); });
  }

 private:
  template <class Write>
  void for_each(const Value* arguments, std::size_t count, const Write& write) {
    const char* separator = "[";
    const auto add = [&](const Value& value) {
      text_.add(separator);
      separator = ", ";
      write(value);
    };
    for (const Value* each = arguments; each != arguments + count && text_.fits(); ++each) {
      const Elements elements =
          each->tag == layout_.list_tag ? elements_of(layout_, each->payload) : Elements{};
      if (!elements.are_tensors(layout_)) {
        add(*each);
        continue;
      }
      for (const Value* tensor = elements.first; tensor != elements.end && text_.fits(); ++tensor)
        add(*tensor);
    }
    text_.add(*separator == '[' ? "[]" : "]");
  }

  void add_numbers(const std::uint64_t* numbers, std::size_t count) {
    text_.add("[");
    for (std::size_t i = 0; i < count; ++i) {
      if (i != 0) text_.add(", ");
      add_integer(text_, static_cast<std::int64_t>(numbers[i]));
    }
    text_.add("]");
  }

  void add_tensor(std::uint64_t address) {
    const Tensor tensor = tensor_of(layout_, address);
    const bool has_name = tensor.is_known && tensor.type < kMaxTypes;
    const char* const name = has_name ? types_.names[tensor.type] : "";
    text_.add(*name != '\0' ? name : "tensor");
    if (tensor.is_known && !tensor.is_contiguous()) {
      text_.add(" ");
      add_numbers(tensor.strides, tensor.dimensions);
    }
  }

  void add_argument(const Value& value, int depth) {
    if (value.tag == layout_.tensor_tag)
      add_tensor(value.payload);
    else if (value.tag == layout_.none_tag)
      text_.add("None");
    else if (value.tag == layout_.list_tag && depth < kMaxDepth)
      add_list(elements_of(layout_, value.payload), depth);
    else if (has_values_ && value.tag == layout_.flag_tag)
      text_.add((value.payload & 0xff) != 0 ? "True" : "False");
    else if (has_values_ && value.tag == layout_.integer_tag)
      add_integer(text_, static_cast<std::int64_t>(value.payload));
    else if (has_values_ && value.tag == layout_.number_tag)
      add_number(text_, value.payload);
    else
      text_.add("?");
  }

  void add_list(const Elements& elements, int depth) {
    text_.add("[");
    for (std::size_t i = 0; i < elements.count(); ++i) {
      if (i != 0) text_.add(", ");
      if (i == kMaxElements) {
        text_.add("?");
        break;
      }
      add_argument(elements.first[i], depth + 1);
    }
    text_.add("]");
  }

  const TorchLayout& layout_;
  const TorchTypes& types_;
  bool has_values_;
  core::Text& text_;
};

}  // namespace

std::uint64_t ArgumentText::key() const {
  KeyWords words(layout_, has_values_);
  words.add(wire::hash_text(name_, std::strlen(name_)));
  for (std::size_t i = 0; i < count_; ++i) words.add(arguments_[i], 0);
  return words.hash();
}

std::size_t ArgumentText::write(char* out, std::size_t room) const {
  core::Text text(out, room);
  ListWriter writer(layout_, types_, has_values_, text);
  text.add(name_).add(", sizes = ");
  writer.write_sizes(arguments_, count_);
  text.add(", arguments = ");
  writer.write_arguments(arguments_, count_);
  return text.fits() ? static_cast<std::size_t>(text.end() - out) : 0;
}

ArgumentText::Interned ArgumentText::intern() const {
  char buffer[wire::kMaxStringBytes];
  const std::size_t length = write(buffer, sizeof buffer);
  if (length == 0) return {core::intern(name_), false};
  const std::uint64_t hash = wire::hash_text(buffer, length);
  const bool is_new = !core::g_sent_strings.contains(hash);
  if (is_new) core::publish(hash, buffer, length);
  return {hash, is_new};
}

}  // namespace prof::python
