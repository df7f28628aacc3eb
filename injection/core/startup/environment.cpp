#include "injection/core/startup/environment.hpp"

#include <cstring>
#include <initializer_list>

#include "injection/core/join/session.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/readable.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/startup/preload_list.hpp"
#include "injection/core/syscalls.hpp"

namespace prof::core {

namespace {

template <class T>
T* value_of(T* variable, const char* name) {
  const std::size_t length = std::strlen(name);
  return std::strncmp(variable, name, length) == 0 && variable[length] == '='
             ? variable + length + 1
             : nullptr;
}

// Composes an environment in memory that is large enough: first the pointers, then the texts.
class Writer {
 public:
  // `memory` has `bytes`. The pointers and the final null come first in it.
  Writer(void* memory, std::size_t pointers, std::size_t bytes)
      : array_(static_cast<char**>(memory)),
        text_(reinterpret_cast<char*>(array_ + pointers), bytes - pointers * sizeof(char*)) {}

  void add(char* variable) { array_[used_++] = variable; }
  // Begins the text of a variable. end() adds the text, in the place of `replaced` unless that is
  // null.
  Text& begin(const char* name) {
    start_ = text_.end();
    return text_.add(name).add("=");
  }
  void end(char** replaced = nullptr) {
    (replaced != nullptr ? *replaced : array_[used_++]) = start_;
    fits_ = fits_ && text_.fits();
    text_ = Text(text_.end() + 1, text_.room() - 1);
  }
  // Returns the place of a copied variable in this environment.
  char** place_of(char* const* variable, char* const* environment) {
    return variable == nullptr ? nullptr : array_ + (variable - environment);
  }
  // Returns null if another thread has made a variable longer meanwhile.
  char** result() const { return fits_ ? array_ : nullptr; }

 private:
  char** array_;
  std::size_t used_ = 0;
  Text text_;
  char* start_ = nullptr;
  bool fits_ = true;
};

bool is_our_session(const char* variable) {
  const char* const value = value_of(variable, wire::kSessionVariable);
  return value != nullptr && std::strcmp(value, g_process.session) == 0;
}

void withdraw_session(char* const* environment) {
  OurVariables given;
  if (!given.read(environment) || given.session == nullptr || !is_our_session(*given.session))
    return;
  *value_of(*given.session, wire::kSessionVariable) = '\0';
}

// Appends the variables that a child gets in addition to those of `given`.
void add_missing(Writer& writer, const OurVariables& given, char* const* environment) {
  if (given.lacks_session()) {
    writer.begin(wire::kSessionVariable).add(g_process.session);
    writer.end();
  }
  if (given.lacks_preload()) {
    add_preload(writer.begin(kPreload), given.preload_list());
    writer.end(writer.place_of(given.preload, environment));
  }
  if (given.lacks_nvtx()) {
    writer.begin(kNvtxInjection).add(g_process.library);
    writer.end();
  }
  if (given.lacks_cuda()) {
    writer.begin(kCudaInjection).add(g_process.library);
    writer.end();
  }
}

}  // namespace

const char* variable(char* const* environment, const char* name) {
  if (environment == nullptr) return nullptr;
  for (; *environment != nullptr; ++environment)
    if (const char* value = value_of(*environment, name)) return value;
  return nullptr;
}

Ours ours_in_child(char* const* environment) {
  if (g_process.arena == nullptr) return Ours::kAsTheyAre;
  if (g_process.sandboxed.load(std::memory_order_relaxed)) {
    withdraw_session(environment);
    return Ours::kAsTheyAre;
  }
  if (!has_feature(wire::kFeatureRepairEnvironment)) return Ours::kAsTheyAre;
  if (is_session_over()) return Ours::kRemoved;
  if (can_reach_session()) return Ours::kPutBack;
  report(wire::DiagnosticCode::kOtherUser, sys::geteuid());
  return Ours::kRemoved;
}

bool OurVariables::read(char* const* environment) {
  if (environment == nullptr) return true;
  Reader reader;
  for (char* const* at = environment;; ++at) {
    if (!reader.can_read(at)) return false;
    if (*at == nullptr) return true;
    if (!reader.can_read_text(*at)) return false;
    ++count;
    bytes += std::strlen(*at) + 1 + sizeof *at;
    const auto note = [at](char* const*& first, const char* name) {
      const char* const value = value_of(*at, name);
      if (first == nullptr && value != nullptr) first = at;
      return value;
    };
    const char* const named = note(session, wire::kSessionVariable);
    if (named != nullptr && *named == '\0' && session == at) session = nullptr;
    note(preload, kPreload);
    note(nvtx, kNvtxInjection);
    note(cuda, kCudaInjection);
  }
}

const char* OurVariables::preload_list() const {
  return preload == nullptr ? nullptr : value_of(*preload, kPreload);
}

bool OurVariables::names_other_session() const {
  return session != nullptr && !is_our_session(*session);
}
bool OurVariables::lacks_nothing() const {
  return !lacks_session() && !lacks_preload() && !lacks_nvtx() && !lacks_cuda();
}
bool OurVariables::lacks_preload() const {
  return preload == nullptr || !lists_ours(preload_list());
}
bool OurVariables::lacks_nvtx() const { return nvtx == nullptr && has_feature(wire::kFeatureNvtx); }
bool OurVariables::lacks_cuda() const { return cuda == nullptr && has_feature(wire::kFeatureCuda); }

bool leads_to_us(const char* variable) {
  if (is_our_session(variable)) return true;
  for (const char* door : {kNvtxInjection, kCudaInjection})
    if (const char* value = value_of(variable, door))
      return std::strcmp(value, g_process.library) == 0;
  return false;
}

ChildEnvironment::ChildEnvironment(char* const* environment)
    : original_(environment), result_(environment) {
  const Ours ours = ours_in_child(environment);
  OurVariables given;
  if (ours == Ours::kAsTheyAre || !given.read(environment)) return;
  if (ours == Ours::kRemoved)
    strip(given);
  else
    repair(given);
}

// Removes our variables. In a program that cannot open our library, the loader would print an
// error. The variables of another session, which a prof inside of this one has set, are left alone.
void ChildEnvironment::strip(const OurVariables& given) {
  if (given.names_other_session()) return;
  std::size_t lists = 0;
  bool has_any = false;
  for (std::size_t i = 0; i < given.count; ++i) {
    const char* const list = value_of(original_[i], kPreload);
    has_any = has_any || leads_to_us(original_[i]) || (list != nullptr && lists_any_of_ours(list));
    if (list != nullptr) lists += std::strlen(original_[i]) + 1;
  }
  if (!has_any) return;
  const std::size_t bytes = (given.count + 1) * sizeof(char*) + lists + 1;
  void* const memory = memory_.map(bytes);
  if (memory == nullptr) return;
  Writer writer(memory, given.count + 1, bytes);
  for (std::size_t i = 0; i < given.count; ++i) {
    const char* const list = value_of(original_[i], kPreload);
    if (list != nullptr) {
      if (add_without_ours(writer.begin(kPreload), list)) writer.end();
    } else if (!leads_to_us(original_[i])) {
      writer.add(original_[i]);
    }
  }
  take(writer.result());
}

void ChildEnvironment::repair(const OurVariables& given) {
  if (given.lacks_nothing()) return;
  constexpr std::size_t kMaxAdded = 4;
  const char* const list = given.preload_list();
  const std::size_t pointers = given.count + kMaxAdded + 1;
  const std::size_t names = sizeof wire::kSessionVariable + sizeof kPreload +
                            sizeof kNvtxInjection + sizeof kCudaInjection + 2 * kMaxAdded;
  const std::size_t bytes = pointers * sizeof(char*) + names + std::strlen(g_process.session) +
                            2 * std::strlen(g_process.library) + most_preload_bytes() +
                            (list != nullptr ? std::strlen(list) : 0);
  void* const memory = memory_.map(bytes);
  if (memory == nullptr) return;
  Writer writer(memory, pointers, bytes);
  for (std::size_t i = 0; i < given.count; ++i) writer.add(original_[i]);
  add_missing(writer, given, original_);
  take(writer.result());
}

void ChildEnvironment::take(char* const* changed) {
  if (changed != nullptr) result_ = changed;
}

}  // namespace prof::core
