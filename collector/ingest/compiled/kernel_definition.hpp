// A kernel of Triton in a file of PyTorch's Inductor: what its comments and its source say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/ingest/compiled/fragment.hpp"

namespace prof::ingest {

class KernelDefinition {
 public:
  KernelDefinition(std::int64_t line, const Fragment& fragment)
      : line_(line), fragment_(fragment) {}

  // Takes a line of the source. The texts must outlive the object.
  void read(std::string_view line);

  std::int64_t line() const { return line_; }
  const std::string& operators() const { return fragment_.operators(); }
  // `tensors` are all of the file.
  const std::string& graph(const Tensors& tensors);

  // What a launch with these arguments reads and writes.
  struct Traffic {
    std::optional<std::int64_t> bytes_read;
    std::optional<std::int64_t> bytes_written;
    std::optional<std::int64_t> elements;
    std::string inputs = {};
    std::string outputs = {};
  };
  Traffic traffic(const std::vector<std::string_view>& arguments, const Tensors& tensors) const;

 private:
  struct Parameter {
    std::string_view name;
    std::string_view type;        // "float32"; empty: it is not a pointer
    std::int64_t loads = 0;       // places where elements are read
    std::int64_t stores = 0;      // where they are written
    bool has_other_uses = false;  // how many elements are read or written is unknown

    bool is_input() const;
    bool is_output() const;
  };
  void read_signature(std::string_view line);
  void count_uses(std::string_view line);
  std::optional<std::int64_t> elements_of_launch(
      const std::vector<std::string_view>& arguments) const;

  std::int64_t line_;
  Fragment fragment_;
  std::optional<std::string> graph_;
  bool is_in_body_ = false;
  std::vector<Parameter> parameters_;
};

}  // namespace prof::ingest
