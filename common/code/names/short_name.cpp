#include "common/code/names/short_name.hpp"

#include <cctype>
#include <initializer_list>
#include <optional>

namespace prof::names {

namespace {

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Returns the length of the name of an operator that `text` starts with, such as "operator<<" and
// "operator()". 0: it starts with none.
std::size_t operator_length(std::string_view text) {
  constexpr std::string_view kOperator = "operator";
  if (!text.starts_with(kOperator)) return 0;
  const std::string_view symbol = text.substr(kOperator.size());
  for (const std::string_view each :
       {"<=>", "<<=", ">>=", "->*", "()", "[]", "->", "<<", ">>", "<=", ">=", "<", ">", "*", "&"})
    if (symbol.starts_with(each)) return kOperator.size() + each.size();
  return 0;
}

// Walks over a name and knows which brackets are open.
class Walk {
 public:
  explicit Walk(std::string_view name) : name_(name) {}

  bool is_done() const { return at_ >= name_.size(); }
  std::size_t at() const { return at_; }
  char now() const { return name_[at_]; }
  char before() const { return at_ == 0 ? '\0' : name_[at_ - 1]; }
  bool is_outside() const { return depth_ == 0; }
  bool is_after_operator() const { return at_ > 0 && at_ == after_operator_; }
  bool is_balanced() const { return depth_ == 0 && !is_wrong_; }

  // Goes on by one character, or by an operator.
  void step() {
    const bool starts_word = !is_letter(before());
    if (const std::size_t length = starts_word ? operator_length(name_.substr(at_)) : 0;
        length > 0) {
      after_operator_ = at_ += length;
      return;
    }
    const char c = now();
    const bool is_arrow = c == '>' && before() == '-';
    if (c == '(' || c == '<' || c == '{' || c == '[') ++depth_;
    if ((c == ')' || c == '>' || c == '}' || c == ']') && !is_arrow && --depth_ < 0)
      is_wrong_ = true;
    ++at_;
  }
  // Goes to after the bracket that closes the one here. Returns false if there is none.
  bool skip_group() {
    const int depth = depth_;
    do step();
    while (!is_done() && depth_ > depth);
    return depth_ == depth;
  }

 private:
  std::string_view name_;
  std::size_t at_ = 0;
  std::size_t after_operator_ = 0;
  int depth_ = 0;
  bool is_wrong_ = false;
};

// True if parameters begin at the bracket: "f(", "f<int>(", "operator()(". Other brackets belong to
// names: "(anonymous namespace)", "(*T)".
bool begins_parameters(std::string_view name, std::size_t bracket) {
  if (bracket == 0) return false;
  const char before = name[bracket - 1];
  // The last ones end the names of operators that are not brackets.
  return is_letter(before) ||
         std::string_view(")>}]=+-/%^|~!").find(before) != std::string_view::npos;
}

// Removes the qualifiers that follow parameters: " const", " &&".
void skip_qualifiers(std::string_view name, std::size_t& at) {
  for (bool is_found = true; is_found;) {
    is_found = false;
    for (const std::string_view each : {" const", " volatile", " &&", " &", " noexcept"})
      if (name.substr(at).starts_with(each)) {
        at += each.size();
        is_found = true;
        break;
      }
  }
}

// Returns the position of the name after the return type. A blank in the name of a conversion
// operator ("operator unsigned int") does not end a return type.
std::size_t after_return_type(std::string_view name) {
  std::size_t begin = 0;
  for (Walk walk(name); !walk.is_done(); walk.step()) {
    const std::string_view rest = name.substr(walk.at());
    if (!walk.is_outside()) continue;
    if ((rest.starts_with("operator ") || operator_length(rest) > 0) && !is_letter(walk.before()))
      break;
    if (rest.starts_with(" [") || rest.starts_with(" (.")) break;
    if (rest.starts_with(" to ") || rest.starts_with(" for ")) return 0;
    if (walk.now() == ' ') begin = walk.at() + 1;
  }
  return begin;
}

std::optional<std::string> remove_parameters(std::string_view name) {
  std::string text;
  bool has_parameters = false;
  Walk walk(name);
  while (!walk.is_done()) {
    if (walk.now() == '(' && (walk.is_after_operator() || begins_parameters(name, walk.at()))) {
      if (!walk.skip_group()) return std::nullopt;
      std::size_t end = walk.at();
      skip_qualifiers(name, end);
      while (walk.at() < end) walk.step();
      has_parameters = true;
      continue;
    }
    const std::size_t from = walk.at();
    walk.step();
    text += name.substr(from, walk.at() - from);
  }
  if (!walk.is_balanced() || !has_parameters) return std::nullopt;
  return text.substr(after_return_type(text));
}

}  // namespace

std::string without_parameters(std::string_view name) {
  auto text = remove_parameters(name);
  return text && !text->empty() ? *std::move(text) : std::string(name);
}

std::string without_template_arguments(std::string_view name) {
  std::string text;
  Walk walk(name);
  while (!walk.is_done()) {
    if (walk.now() == '<' && is_letter(walk.before())) {
      if (!walk.skip_group()) return std::string(name);
      continue;
    }
    const std::size_t from = walk.at();
    walk.step();
    text += name.substr(from, walk.at() - from);
  }
  return walk.is_balanced() ? text : std::string(name);
}

std::string short_name(std::string_view name, std::size_t most) {
  if (name.size() <= most) return std::string(name);
  std::string text = without_parameters(name);
  return text.size() <= most ? text : without_template_arguments(text);
}

}  // namespace prof::names
