#include "injection/core/startup/shell_command.hpp"

#include <unistd.h>

#include <cstring>

#include "injection/core/process_state.hpp"
#include "injection/core/readable.hpp"
#include "injection/core/startup/preload_list.hpp"

namespace prof::core {

namespace {

// The size of arguments and environment that exec accepts on every system, less the part that the
// loader, the kernel and a shell need.
constexpr std::size_t kMinArgMax = 120 * 1024;

constexpr char kQuotedQuote[] = "'\\''";
constexpr char kShell[] = "exec /bin/sh -c '";
constexpr char kShellName[] = "' sh";  // `sh` is the name in the shell's messages, as without prof
constexpr std::size_t kFixedBytes = 256;  // for these, the names of our variables and `export`

// Appends a text in the form that it has inside of single quotes.
void add_quoted(Text& text, const char* raw) {
  for (;;) {
    const std::size_t length = std::strcspn(raw, "'");
    text.add(raw, length);
    if (raw[length] == '\0') return;
    text.add(kQuotedQuote);
    raw += length + 1;
  }
}

std::size_t most_quoted_bytes(std::size_t raw) { return raw * (sizeof kQuotedQuote - 1); }

void add_export(Text& text, const char* variable) {
  const std::size_t name = std::strcspn(variable, "=");
  text.add("export ").add(variable, name).add("='");
  add_quoted(text, variable + name + 1);
  text.add("'; ");
}

void add_unset(Text& text, char* const* variable) {
  if (variable == nullptr || !leads_to_us(*variable)) return;
  text.add("unset ").add(*variable, std::strcspn(*variable, "=")).add("; ");
}

// The shell may take a command that begins with these for an option, depending on how libc calls
// the shell.
bool may_be_option(const char* command) { return *command == '-' || *command == '+'; }

}  // namespace

ShellCommand::ShellCommand(const char* command) : original_(command), result_(command) {
  Reader reader;
  if (command == nullptr || !reader.can_read_text(command) || may_be_option(command)) return;
  const Ours ours = ours_in_child(environ);
  OurVariables given;
  if (ours == Ours::kAsTheyAre || !given.read(environ)) return;
  if (ours == Ours::kRemoved)
    remove(given);
  else
    put_back(given);
}

// Builds the command. `add` adds the parts in front of `exec`.
template <class Add>
void ShellCommand::build(const OurVariables& given, std::size_t most_added, Add add) {
  const std::size_t most = most_added + kFixedBytes + most_quoted_bytes(std::strlen(original_));
  if (given.bytes + most > kMinArgMax) return;
  void* const memory = memory_.map(most);
  if (memory == nullptr) return;
  Text text(static_cast<char*>(memory), most);
  add(text);
  text.add(kShell);
  add_quoted(text, original_);
  text.add(kShellName);
  if (text.fits()) result_ = static_cast<const char*>(memory);
}

void ShellCommand::put_back(const OurVariables& given) {
  if (given.lacks_nothing()) return;
  const char* const list = given.preload_list();
  const std::size_t values = std::strlen(g_process.session) + 2 * std::strlen(g_process.library) +
                             most_preload_bytes() + (list == nullptr ? 0 : std::strlen(list));
  build(given, most_quoted_bytes(values), [&given](Text& text) {
    const ChildEnvironment child(environ);
    if (!child.is_changed()) return;
    for (std::size_t i = 0; child.get()[i] != nullptr; ++i)
      if (i >= given.count || child.get()[i] != environ[i]) add_export(text, child.get()[i]);
  });
}

void ShellCommand::remove(const OurVariables& given) {
  if (given.names_other_session()) return;
  if (given.session != nullptr) (*given.session)[sizeof wire::kSessionVariable] = '\0';
  if (given.preload != nullptr && lists_any_of_ours(given.preload_list()))
    remove_ours(*given.preload + sizeof kPreload);
  const auto leads = [](char* const* variable) {
    return variable != nullptr && leads_to_us(*variable);
  };
  if (!leads(given.nvtx) && !leads(given.cuda)) return;
  build(given, 0, [&given](Text& text) {
    add_unset(text, given.nvtx);
    add_unset(text, given.cuda);
  });
}

}  // namespace prof::core
