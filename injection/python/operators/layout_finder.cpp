#include "injection/python/operators/layout_finder.hpp"

#include <cstring>

#include "injection/core/readable.hpp"

namespace prof::python {

namespace {

constexpr std::uint64_t kNoSequence = ~std::uint64_t{0};
constexpr std::uint64_t kFactor = 3;    // of kSum
constexpr double kBound = 0.5;          // of kBounds
constexpr std::uint64_t kMaxStep = 64;  // between the numbers of two record functions

std::size_t count_of(KnownCall call) {
  if (call == KnownCall::kList) return 2;
  return call == KnownCall::kFlag ? 4 : 3;
}

bool can_read(std::uint64_t address, std::size_t size) {
  core::Reader reader;
  return address % alignof(std::uint64_t) == 0 &&
         reader.can_read(reinterpret_cast<const void*>(address), size);
}

}  // namespace

bool LayoutFinder::Places::find_only(std::size_t& place) const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < kWords; ++i)
    if (is_possible[i]) {
      ++count;
      place = i;
    }
  return count == 1;
}

// Returns the arguments if the words at the place are an address and this number of arguments.
const Value* LayoutFinder::arguments(std::size_t count, const std::uint64_t* words,
                                     std::size_t place) const {
  if (place + 1 >= kWords || words[place + 1] != count ||
      !can_read(words[place], count * sizeof(Value)))
    return nullptr;
  return reinterpret_cast<const Value*>(words[place]);
}

// Looks for the vector of elements in a list. All lists have it at the same place.
bool LayoutFinder::finds_list(std::uint64_t list, std::size_t bytes, const Value** elements) {
  if (!can_read(list, kListWords * 8 + 8)) return false;
  const auto* words = reinterpret_cast<const std::uint64_t*>(list);
  const bool is_first = (seen_ & (1U << static_cast<unsigned>(KnownCall::kList))) == 0;
  bool is_found = false;
  for (std::size_t i = 0; i < kListWords; ++i) {
    const bool is_here = words[i + 1] - words[i] == bytes && can_read(words[i], bytes);
    list_places_[i] = is_here && (is_first || list_places_[i]);
    if (!list_places_[i]) continue;
    is_found = true;
    *elements = reinterpret_cast<const Value*>(words[i]);
    found_.list = i * 8;
  }
  return is_found;
}

// True if these are the arguments of the expected call. Remembers the tags.
bool LayoutFinder::fits(const Value* arguments) {
  const Value* elements = nullptr;
  switch (expected_) {
    case KnownCall::kSum:
    case KnownCall::kGradient:
    case KnownCall::kGradientOn:
      if (arguments[0].payload != first_ || arguments[1].payload != second_ ||
          arguments[2].payload != kFactor || arguments[0].tag != arguments[1].tag)
        return false;
      found_.tensor_tag = arguments[0].tag;
      found_.integer_tag = arguments[2].tag;
      return true;
    case KnownCall::kBounds: {
      std::uint64_t bound = 0;
      std::memcpy(&bound, &kBound, sizeof bound);
      if (arguments[0].payload != first_ || arguments[1].payload != bound) return false;
      found_.number_tag = arguments[1].tag;
      found_.none_tag = arguments[2].tag;
      return true;
    }
    case KnownCall::kList:
      if (arguments[1].payload != 0 || arguments[1].tag != found_.integer_tag ||
          !finds_list(arguments[0].payload, 2 * sizeof(Value), &elements) ||
          elements[0].payload != first_ || elements[1].payload != second_ ||
          elements[0].tag != found_.tensor_tag || elements[1].tag != found_.tensor_tag)
        return false;
      found_.list_tag = arguments[0].tag;
      return true;
    case KnownCall::kFlag:
      if (arguments[0].payload != first_ || arguments[1].tag != found_.list_tag ||
          (arguments[2].payload & 0xff) != 1 || arguments[3].tag != found_.none_tag ||
          !finds_list(arguments[1].payload, sizeof(Value), &elements) || elements[0].payload != 0 ||
          elements[0].tag != found_.integer_tag)
        return false;
      found_.flag_tag = arguments[2].tag;
      return true;
    case KnownCall::kNone:
      return false;
  }
  return false;
}

void LayoutFinder::see(const void* function) {
  if (expected_ == KnownCall::kNone) return;
  if (!can_read(reinterpret_cast<std::uintptr_t>(function), kWords * 8)) {
    is_wrong_ = true;
    return;
  }
  std::uint64_t words[kWords];
  std::memcpy(words, function, sizeof words);
  for (std::size_t i = 0; i < kWords; ++i) {
    if (seen_ != 0 && !inputs_.is_possible[i]) continue;
    const Value* values = arguments(count_of(expected_), words, i);
    inputs_.is_possible[i] = values != nullptr && fits(values);
  }
  see_sequence(words);
  see_number(words);
  if (expected_ == KnownCall::kGradient) std::memcpy(gradient_, words, sizeof words);
  std::memcpy(before_, words, sizeof words);
  seen_ |= 1U << static_cast<unsigned>(expected_);
  expected_ = KnownCall::kNone;
}

// An operator without a gradient has no sequence number. Of two others the second has the next one.
void LayoutFinder::see_sequence(const std::uint64_t* words) {
  for (std::size_t i = 0; i < kWords; ++i) {
    bool fits = words[i] == kNoSequence;
    if (expected_ == KnownCall::kGradient) fits = words[i] < (std::uint64_t{1} << 40);
    if (expected_ == KnownCall::kGradientOn) fits = words[i] == gradient_[i] + 1;
    sequence_.is_possible[i] = fits && (seen_ == 0 || sequence_.is_possible[i]);
  }
}

// Record functions are numbered. The word before the number is the thread of the forward pass,
// which operators of the forward pass do not have.
void LayoutFinder::see_number(const std::uint64_t* words) {
  number_.is_possible[0] = false;
  for (std::size_t i = 1; i < kWords; ++i) {
    const bool goes_on = words[i] > before_[i] && words[i] - before_[i] < kMaxStep;
    number_.is_possible[i] =
        words[i - 1] == 0 && (seen_ == 0 || (goes_on && number_.is_possible[i]));
  }
}

bool LayoutFinder::finish(TorchLayout& layout) const {
  constexpr unsigned kAll = (2U << static_cast<unsigned>(kLastKnownCall)) - 2;
  std::size_t inputs = 0;
  std::size_t sequence = 0;
  std::size_t number = 0;
  if (is_wrong_ || seen_ != kAll || !inputs_.find_only(inputs) || !sequence_.find_only(sequence) ||
      !number_.find_only(number))
    return false;
  const std::uint32_t tags[] = {found_.tensor_tag, found_.integer_tag, found_.number_tag,
                                found_.flag_tag,   found_.list_tag,    found_.none_tag};
  for (const std::uint32_t& tag : tags)
    for (const std::uint32_t* other = tags; other != &tag; ++other)
      if (tag == *other) return false;
  layout = found_;
  layout.inputs = inputs * 8;
  layout.sequence = sequence * 8;
  layout.forward_thread = (number - 1) * 8;
  return true;
}

}  // namespace prof::python
