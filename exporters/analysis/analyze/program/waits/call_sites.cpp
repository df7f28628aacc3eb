#include "exporters/analysis/analyze/program/waits/call_sites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "common/base/median.hpp"
#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/program/waits/places.hpp"
#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/tables/visible_text.hpp"

namespace prof::analyze {

namespace {

// Returns the innermost frame that shows where in the program a call is: a Python function or a
// function outside of a library, if there is one.
std::string frame_text(const events::Caller& caller) {
  constexpr std::size_t kMaxLetters = 120;
  constexpr std::string_view kBetween = " < ";
  std::vector<std::string_view> functions;
  std::vector<std::string_view> places;
  const auto split = [&](std::string_view text, std::vector<std::string_view>& parts) {
    for (std::size_t at = text.find(kBetween); at != std::string_view::npos;
         at = text.find(kBetween)) {
      parts.push_back(text.substr(0, at));
      text.remove_prefix(at + kBetween.size());
    }
    parts.push_back(text);
  };
  split(caller.functions, functions);
  split(caller.places, places);
  std::size_t frame = 0;
  if (functions.size() != places.size()) {  // a function's name contains the separator
    functions = {caller.functions};
    places = {caller.places};
  } else if (places.back().find(".py:") != std::string_view::npos) {
    frame = places.size() - 1;
  } else if (places.size() > 1 && events::file_name(places.front()).starts_with("lib")) {
    frame = 1;
  }
  return base::mark_name("function",
                         fmt::format("{} ({})", tables::one_line(functions[frame], kMaxLetters),
                                     tables::one_line(places[frame], kMaxLetters)));
}

// True if the caller is native code of Python's interpreter, which says nothing about the Python
// code.
bool is_interpreter_code(std::string_view caller) {
  return caller.find("/python") != std::string_view::npos ||
         caller.find("libpython") != std::string_view::npos;
}

bool is_python_place(std::string_view caller) { return caller.find(".py:") != caller.npos; }

// Returns ", called from f (a.c:3), probably by g (b.py:7)".
std::string caller_text(const CallSite& site) {
  const std::string* python = key_of_most(site.python_places);
  const char* part = site.caller_is_of_long_calls   ? "the long ones "
                     : site.caller_is_of_most_calls ? "most "
                                                    : "";
  std::string text;
  if (!site.caller.empty() && (python == nullptr || !is_interpreter_code(site.caller)))
    text = fmt::format(", {}called from {}", part, site.caller);
  if (python != nullptr)
    text += fmt::format(", {}{}{}", site.has_python_waits ? "" : "probably ",
                        text.empty() ? "called from " : "by ", *python);
  return text;
}

// Returns "function (file:line)" of the code that made the call, of the innermost Python function
// if there is one. Empty if the caller is unknown.
std::string caller_place(CpuFacts& facts, const OsCall& call) {
  const std::int64_t number =
      facts.callers ? facts.callers->caller_of(call.chain, call.name) : events::Callers::kNone;
  std::string native;
  if (number != events::Callers::kNone) native = frame_text(facts.callers->text(number));
  if (!native.empty() && !is_interpreter_code(native)) return native;
  const CodeProfile::Sample* wait = python_wait_in(facts, call);
  std::string python = wait == nullptr ? "" : place_text(*facts.python_waits, wait->node);
  return python.empty() ? native : python;
}

}  // namespace

std::string call_text(CpuFacts& facts, const OsCall& call) {
  const std::string caller = caller_place(facts, call);
  const std::string function = base::mark_name("call", facts.name(call));
  return caller.empty() ? function : fmt::format("{} called from {}", function, caller);
}

std::int64_t CallSite::median() const {
  std::vector<std::int64_t> any_order = lengths;
  return base::upper_median(any_order);
}

namespace {

class SiteGroups {
 public:
  explicit SiteGroups(CpuFacts& facts) : facts_(facts) {}

  void add(const OsCall& call, double share) {
    const CodeProfile::Sample* wait = python_wait_in(facts_, call);
    const auto [at, is_new] = sites_.try_emplace(
        {call.name,
         facts_.callers ? facts_.callers->caller_of(call.chain, call.name) : events::Callers::kNone,
         wait != nullptr ? wait->node : events::CallTree::kNone});
    CallSite& site = at->second;
    if (is_new) {
      site.name = call.name;
      site.caller = caller_place(facts_, call);
    }
    if (!is_python_place(site.caller)) add_python_place(call, wait, site);
    ++site.count;
    if (site.longest == nullptr || call.length() > site.longest->length()) site.longest = &call;
    site.share += share;
    site.running += call.running;
    site.lengths.push_back(call.length());
    site.threads[call.thread] += share;
    if (call.file != CpuFacts::kNone) site.files[call.file] += share;
    if (call.bytes < 0) return;
    ++site.sized;
    site.bytes = events::sum(site.bytes, call.bytes);
  }
  std::vector<CallSite> sorted() {
    std::vector<CallSite> result;
    for (auto& [name, callers] : by_caller()) {
      join_unknown(callers);
      for (auto& [caller, site] : callers) result.push_back(std::move(site));
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const CallSite& a, const CallSite& b) { return a.share > b.share; });
    return result;
  }

 private:
  using ByCaller = std::map<std::string, CallSite>;  // by caller text

  // Returns the sites by the name of the function.
  std::map<std::int64_t, ByCaller> by_caller() {
    std::map<std::int64_t, ByCaller> result;
    for (auto& [key, site] : sites_) {
      const auto [at, is_new] = result[site.name].try_emplace(site.caller, std::move(site));
      if (!is_new) at->second.add(site);
    }
    return result;
  }

  // Adds calls with an unknown caller to the only known caller, if there is exactly one. Only long
  // calls have call chains, and Python's waits are sampled only now and then.
  static void join_unknown(ByCaller& callers) {
    const auto is_unknown = [](const auto& each) {
      return each.first.empty() ||
             (is_interpreter_code(each.first) && each.second.python_places.empty());
    };
    const auto is_known = [&](const auto& each) { return !is_unknown(each); };
    if (std::ranges::count_if(callers, is_known) != 1) return;
    CallSite& known = std::ranges::find_if(callers, is_known)->second;
    for (auto at = callers.begin(); at != callers.end();) {
      if (&at->second == &known) {
        ++at;
        continue;
      }
      (is_python_place(known.caller) ? known.caller_is_of_most_calls
                                     : known.caller_is_of_long_calls) = true;
      known.add(at->second);
      at = callers.erase(at);
    }
  }

  // Adds the place where the thread waited in the call, or where it was in Python code just before
  // it.
  void add_python_place(const OsCall& call, const CodeProfile::Sample* wait, CallSite& site) {
    constexpr std::int64_t kEnough = 100;
    constexpr std::int64_t kLong = 80'000;  // ns; shorter than the time between two samples
    if (wait != nullptr) {
      site.has_python_waits = true;
      site.python_places[place_text(*facts_.python_waits, wait->node)] += 1;
    } else if (facts_.python && !site.has_python_waits && site.count < kEnough &&
               call.length() >= kLong) {
      if (const auto* sample = python_sample_near(facts_, call.thread, call.start))
        site.python_places[place_text(*facts_.python, sample->node)] += 1;
    }
  }

  CpuFacts& facts_;
  // By name, number of the caller, and node of the Python wait.
  std::map<std::tuple<std::int64_t, std::int64_t, events::CallTree::Node>, CallSite> sites_;
};

}  // namespace

void CallSite::add(const CallSite& more) {
  count += more.count;
  share += more.share;
  running += more.running;
  lengths.insert(lengths.end(), more.lengths.begin(), more.lengths.end());
  if (longest == nullptr || (more.longest != nullptr && more.longest->length() > longest->length()))
    longest = more.longest;
  sized += more.sized;
  bytes = events::sum(bytes, more.bytes);
  for (const auto& [thread, each] : more.threads) threads[thread] += each;
  for (const auto& [file, each] : more.files) files[file] += each;
  for (const auto& [place, calls] : more.python_places) python_places[place] += calls;
  has_python_waits = has_python_waits || more.has_python_waits;
}

std::vector<CallSite> call_sites(CpuFacts& facts, const std::function<bool(const OsCall&)>& fits) {
  SiteGroups groups(facts);
  for (const OsCall& call : facts.calls)
    if (!call.is_nested && fits(call)) groups.add(call, call.share);
  return groups.sorted();
}

std::vector<CallSite> wait_sites(CpuFacts& facts,
                                 const std::function<bool(const Period&, const OsCall&)>& fits) {
  std::map<std::uint32_t, double> shares;  // by call
  for (const Period& period : facts.periods)
    if (period.call != CpuFacts::kNone && fits(period, facts.calls[period.call]))
      shares[period.call] += period.share;
  SiteGroups groups(facts);
  for (const auto& [call, share] : shares) groups.add(facts.calls[call], share);
  return groups.sorted();
}

void add_calls(const std::vector<CallSite>& sites, Finding& finding) {
  for (const CallSite& each : sites) {
    if (std::ranges::find(finding.calls, each.name) == finding.calls.end())
      finding.calls.push_back(each.name);
    for (const std::int64_t length : each.lengths) finding.time_in_calls += length;
  }
}

double share_of(const std::vector<CallSite>& sites) {
  double sum = 0;
  for (const CallSite& each : sites) sum += each.share;
  return sum;
}

std::int64_t count_of(const std::vector<CallSite>& sites) {
  std::int64_t sum = 0;
  for (const CallSite& each : sites) sum += each.count;
  return sum;
}

std::string site_text(const CpuFacts& facts, const CallSite& site) {
  std::string text = fmt::format("{} of {}, median {}", count_text(site.count, "call"),
                                 base::mark_name("call", facts.strings->text(site.name)),
                                 time_text(site.median()));
  if (site.sized > 0)
    text += fmt::format(" and {} on average", bytes_text(site.bytes / site.sized));
  text += caller_text(site);
  if (const std::uint32_t* file = key_of_most(site.files))
    text += fmt::format(", {}{}", site.files.size() > 1 ? "most of " : "of ",
                        base::mark_name("file", facts.files[*file]));
  if (facts.threads.size() > 1)
    if (const std::uint32_t* thread = key_of_most(site.threads))
      text += fmt::format(", {} {}", site.threads.size() > 1 ? "most by" : "by",
                          facts.thread_text(*thread));
  return text;
}

std::string sites_text(const CpuFacts& facts, const std::vector<CallSite>& sites) {
  constexpr std::size_t kMaximum = 3;
  constexpr double kMinPart = 0.1;
  const double all = share_of(sites);
  std::string text;
  std::int64_t others = 0;
  for (std::size_t i = 0; i < sites.size(); ++i)
    if (i == 0 || (i < kMaximum && sites[i].share >= kMinPart * all))
      text += (i == 0 ? "" : "; ") + site_text(facts, sites[i]);
    else
      others += sites[i].count;
  if (others > 0) text += fmt::format("; {} from elsewhere", count_text(others, "other call"));
  return text;
}

}  // namespace prof::analyze
