// Native call chains with names: reads the tree of frames from the spool and finds the function of
// each address once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory_resource>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "collector/ingest/chains/jit_names.hpp"
#include "collector/spool/spool.hpp"
#include "collector/spool/stack_records.hpp"
#include "common/code/symbols/kernel_symbols.hpp"
#include "common/code/symbols/symbolizer.hpp"
#include "common/report/report_writer.hpp"

namespace prof::ingest {

class StackTable {
 public:
  // The references outlive the table.
  StackTable(const spool::Spool& spool, report::ReportWriter& writer);

  // Reads symbol tables, several files at the same time, if there are any chains. `progress` gets
  // the fraction done. Call it before frames().
  void resolve(const std::function<void(double)>& progress);

  // Visits the frames of a chain, innermost first. `time` is when the chain was recorded
  // (CLOCK_MONOTONIC_RAW, ns). It matters for code of JIT compilers, which changes.
  void frames(std::uint32_t node, std::uint64_t time,
              const std::function<void(const report::StackFrame&)>& visit);

  // Returns a number for the state of JIT code: at all times with the same number, the chain of the
  // node has the same frames.
  std::uint64_t epoch(std::uint32_t node, std::uint64_t time) const;

  // Writes PROF_CODE_PLACES for all frames that were visited.
  void write_code_places();

  // True if the symbol is CPython's evaluation loop.
  bool is_interpreter(std::int32_t symbol) const { return interpreter_symbols_.contains(symbol); }

 private:
  struct Module {
    std::string path;
    symbols::FileVersion version;
    bool is_current = true;  // the file at the path is the one that was mapped
    pid_t jit_of = 0;  // process whose JIT compiler generated the code; 0: the module is a file
    std::vector<pid_t> inherited_from;  // as in the note
    // For a file that is not at its path: names of its functions, by offset.
    std::unordered_map<std::uint64_t, std::string> functions;
  };
  // A place in the code. Nodes of the same place share its name.
  struct CodeLocation {
    std::uint32_t module = 0;
    std::uint64_t address = 0;  // offset in the file, or address in the process
    bool is_jit = false;

    bool operator==(const CodeLocation&) const = default;
  };
  struct CodeLocationHash {
    std::size_t operator()(const CodeLocation& place) const {
      return (place.address * 0x9e3779b97f4a7c15 ^ place.module) * 0x9e3779b97f4a7c15 >> 17;
    }
  };
  struct Name {
    std::string symbol;
    std::string module;
    bool is_resolved = false;
  };

  static CodeLocation place_of(const spool::StackNode& node);
  bool find(std::uint32_t number, spool::StackNode& node) const;
  void collect_places();
  void read_modules();
  static symbols::FunctionName name_in_file(const Module& module, std::uint64_t offset,
                                            symbols::Symbolizer& symbolizer);
  static symbols::FunctionName name_of_jit_code(const Module& module, std::uint64_t address,
                                                symbols::Symbolizer& symbolizer);
  Name name_of(const CodeLocation& place, symbols::Symbolizer& symbolizer,
               const symbols::KernelSymbols& kernel) const;
  std::vector<std::vector<std::size_t>> places_by_module(std::size_t first, std::size_t last) const;
  std::vector<Name> look_up(std::size_t first, std::size_t last, symbols::Symbolizer& symbolizer,
                            const symbols::KernelSymbols& kernel,
                            const std::function<void(std::size_t)>& progress) const;
  std::uint64_t highest_kernel_address() const;
  void name_places(const std::function<void(double)>& progress);
  report::StackFrame frame_of(const Name& name);
  std::optional<report::CodePlaceRow> code_place(const spool::StackNode& node) const;
  std::uint32_t jit_code_of(const spool::StackNode& node, std::uint64_t time) const;
  const report::StackFrame& jit_frame(std::uint32_t code);

  const spool::Spool& spool_;
  report::ReportWriter& writer_;
  std::unordered_map<std::uint32_t, Module> modules_;
  std::pmr::vector<CodeLocation> places_;
  std::pmr::unordered_map<CodeLocation, std::uint32_t, CodeLocationHash> place_numbers_;
  std::pmr::vector<report::StackFrame> frames_;  // by place; only names are set
  std::pmr::vector<bool> is_visited_;            // by node
  JitNames jit_names_;
  // Frames by the number of the JIT compiler's code.
  std::unordered_map<std::uint32_t, report::StackFrame> jit_frames_;
  std::unordered_set<std::int32_t> interpreter_symbols_;
  report::StackFrame max_depth_;
  report::StackFrame broken_;
};

}  // namespace prof::ingest
