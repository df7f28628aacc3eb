#include "exporters/analysis/claims/check_answer.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "exporters/analysis/claims/answer_names.hpp"
#include "exporters/analysis/claims/answer_text.hpp"

namespace prof::claims {

namespace {

Unit unit_of(Measure measure) {
  if (measure == Measure::kTime) return Unit::kTime;
  return measure == Measure::kBytes ? Unit::kBytes : Unit::kNone;
}

bool fits(const WrittenNumber& written, const KnownNumber& known) {
  const double spread = std::abs(known.value) * known.tolerance;
  const bool is_above = known.value + spread >= written.low;
  const bool is_below = known.value - spread <= written.high;
  if (written.bound == WrittenNumber::Bound::kAtLeast) return is_above;
  if (written.bound == WrittenNumber::Bound::kAtMost) return is_below;
  return is_above && is_below;
}

// True if the words around the written number do not speak of another quantity.
bool is_meant(const WrittenNumber& written, const KnownNumber& known) {
  const std::string& word = written.quantity;
  if (word.empty() || written.measure != Measure::kTime) return true;
  if (word == "each") return known.quantity != "total";
  if (word == "total") return known.quantity == "total" || known.quantity == "value";
  return known.quantity == word;
}

// How far the numbers are apart, as a part of the larger one.
double distance(const WrittenNumber& written, const KnownNumber& known) {
  const double middle = (written.low + written.high) / 2;
  return std::abs(middle - known.value) / std::max({middle, std::abs(known.value), 1e-300});
}

class AnswerChecker {
 public:
  explicit AnswerChecker(const AnswerNames& names) : names_(names) {}

  void add(const Sentence& sentence) {
    if (sentence.text.find_first_of("0123456789") == std::string::npos) return;
    // A name can have digits, which are not numbers of the text.
    const std::vector<Mention> mentions = names_.mentions(sentence.text);
    std::string text = sentence.text;
    for (const Mention& each : mentions)
      std::fill(text.begin() + static_cast<std::ptrdiff_t>(each.begin),
                text.begin() + static_cast<std::ptrdiff_t>(each.end), '_');
    for (const WrittenNumber& number : numbers_of(text)) {
      Checked checked{sentence.text.substr(number.begin, number.end - number.begin)};
      checked.line = sentence.line;
      checked.unit = unit_of(number.measure);
      const AnswerSubject* subject = subject_of(mentions, number);
      if (subject == nullptr)
        judge_alone(number, checked);
      else
        judge(number, *subject, checked);
      checked_.push_back(std::move(checked));
    }
  }

  std::vector<Checked> take() { return std::move(checked_); }

 private:
  // Returns what the number is about: the last name before it, or the first one after it.
  static const AnswerSubject* subject_of(const std::vector<Mention>& mentions,
                                         const WrittenNumber& number) {
    const AnswerSubject* found = nullptr;
    for (const Mention& each : mentions)
      if (each.begin < number.begin || found == nullptr) found = each.subject;
    return found;
  }

  static void judge(const WrittenNumber& number, const AnswerSubject& subject, Checked& checked) {
    checked.subject = base::KnownName{subject.kind, subject.name};
    if (subject.missing) {
      checked.judgement = Judgement::kNotMeasurable;
      checked.why = subject.missing->why;
      checked.fix = subject.missing->fix;
      return;
    }
    const KnownNumber* nearest = nullptr;
    for (const KnownNumber& known : subject.numbers) {
      if (known.measure != number.measure || !is_meant(number, known)) continue;
      const bool is_better = nearest == nullptr ||
                             (fits(number, known) && !fits(number, *nearest)) ||
                             (fits(number, known) == fits(number, *nearest) &&
                              distance(number, known) < distance(number, *nearest));
      if (is_better) nearest = &known;
    }
    if (nearest == nullptr) {
      checked.judgement = Judgement::kUnsupported;
      checked.why = "the report has no such number of this name";
      return;
    }
    show(*nearest, checked);
    if (fits(number, *nearest))
      checked.judgement = Judgement::kSupported;
    else
      checked.judgement = number.is_loose ? Judgement::kUnsupported : Judgement::kContradicted;
  }

  static void show(const KnownNumber& known, Checked& checked) {
    checked.quantity = known.quantity;
    checked.value = known.value;
    checked.tolerance = known.tolerance;
    checked.basis = known.basis;
  }

  // Without a name an equal number may be a coincidence, but a different one says nothing.
  void judge_alone(const WrittenNumber& number, Checked& checked) const {
    checked.judgement = Judgement::kUnsupported;
    checked.why = "no name of the report is near this number, and it is not one of the facts";
    if (number.bound != WrittenNumber::Bound::kEqual) return;
    for (const AnswerSubject& subject : names_.general())
      for (const KnownNumber& known : subject.numbers) {
        if (known.measure != number.measure || !fits(number, known)) continue;
        checked.judgement = Judgement::kSupported;
        checked.why.clear();
        checked.subject = base::KnownName{subject.kind, subject.name};
        return show(known, checked);
      }
  }

  const AnswerNames& names_;
  std::vector<Checked> checked_;
};

}  // namespace

base::Result<std::vector<Checked>> check_answer(const report::ReportReader& reader,
                                                const facts::FactSheet& sheet,
                                                std::string_view text) {
  const auto names = AnswerNames::read(reader, sheet, text);
  if (!names) return tl::make_unexpected(names.error());
  AnswerChecker checker(*names);
  for (const Sentence& each : sentences_of(text)) checker.add(each);
  return checker.take();
}

}  // namespace prof::claims
