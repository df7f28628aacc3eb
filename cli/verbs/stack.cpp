// prof stack: shows what every thread of running processes is doing.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "cli/sessions/jit_names.hpp"
#include "cli/stack/stack_text.hpp"
#include "cli/verbs/verbs.hpp"
#include "collector/live/gpu_load.hpp"
#include "collector/live/observe.hpp"
#include "collector/live/process_tree.hpp"
#include "common/base/proc_file.hpp"

namespace prof::cli {

namespace {

bool is_process_id(const std::string& word) {
  constexpr std::size_t kMaxDigits = 9;
  return !word.empty() && word.size() <= kMaxDigits &&
         std::ranges::all_of(word, [](char each) { return each >= '0' && each <= '9'; });
}

std::vector<pid_t> roots_of(const std::vector<live::Process>& all,
                            const std::vector<std::string>& words) {
  check(base::check_proc());
  std::vector<pid_t> roots;
  for (const std::string& word : words) {
    if (!is_process_id(word)) {
      const auto found = live::find_by_name(all, word);
      if (found.empty()) throw Failure("there is no process named " + word);
      roots.insert(roots.end(), found.begin(), found.end());
      continue;
    }
    const pid_t pid = std::stoi(word);
    if (pid == getpid()) throw Failure("process " + word + " is prof itself");
    if (std::ranges::none_of(all, [&](const live::Process& each) { return each.pid == pid; }))
      throw Failure("there is no process " + word);
    roots.push_back(pid);
  }
  return roots;
}

class Stack final : public Verb {
 public:
  const char* name() const override { return "stack"; }
  const char* summary() const override {
    return "Show what every thread of running processes is doing";
  }

  void define(CLI::App& app) override {
    app.add_option("process", words_,
                   "Process ids, or names of programs or scripts; with their child processes")
        ->required()
        ->type_name("PID|NAME");
    app.add_flag("--no-children", without_children_, "Leave out their child processes");
    app.add_flag("--all-frames", shows_all_,
                 "Show the frames of the interpreter, too, and all inlined functions");
    app.add_flag("--no-jcmd", without_jcmd_,
                 "Do not ask running Java machines for the names of their methods");
    app.add_flag("--json", is_json_, "Print a JSON object");
    app.footer(
        "Each thread is stopped for a moment, as a debugger does it, and then goes on.\n"
        "Examples:\n  prof stack 4711\n  prof stack train.py\n"
        "  prof stack --json 4711 | jq '.causes'");
  }

  int run(const std::vector<std::string>&) override {
    const std::vector<live::Process> all = live::all_processes();
    const std::vector<pid_t> roots = roots_of(all, words_);
    const auto processes = live::trees_of(all, roots, !without_children_);
    JitNames names;
    if (!without_jcmd_) names.ask(processes);
    const auto states = live::observe(processes);
    const bool has_failed = cannot_read(roots, states);
    if (has_failed && !is_json_) return kFailed;
    const live::GpuLoads gpus = live::read_gpu_loads(states);
    const std::string text =
        is_json_ ? stack_json(states, gpus) : stack_text(states, gpus, shows_all_);
    if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
      throw Failure("cannot write the output");
    return has_failed ? kFailed : 0;
  }

 private:
  // Returns true, and prints why, if none of the processes that the user named can be read.
  static bool cannot_read(const std::vector<pid_t>& roots,
                          const std::vector<live::ProcessState>& states) {
    std::string messages;
    for (const live::ProcessState& each : states) {
      if (std::ranges::find(roots, each.process.pid) == roots.end()) continue;
      if (each.problem.empty()) return false;
      messages += fmt::format("prof: {} {}\n", label(each.process), each.problem);
    }
    print_message("{}", messages);
    return true;
  }

  std::vector<std::string> words_;
  bool without_children_ = false;
  bool shows_all_ = false;
  bool without_jcmd_ = false;
  bool is_json_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_stack() { return std::make_unique<Stack>(); }

}  // namespace prof::cli
