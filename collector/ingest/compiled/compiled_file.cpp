#include "collector/ingest/compiled/compiled_file.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "collector/ingest/compiled/kernel_definition.hpp"

namespace prof::ingest {

namespace {

constexpr std::size_t kMaxLaunches = 65536;
constexpr std::size_t kMaxTexts = 64 << 20;  // bytes of the texts of all launches

// Calls visit(number of the line, line without its end).
template <class Visit>
void for_each_line(std::string_view text, const Visit& visit) {
  std::int64_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    visit(++number, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// The source of a kernel is a text between three quotes.
class CompiledFile {
 public:
  void read(std::string_view text) {
    for_each_line(text,
                  [&](std::int64_t number, std::string_view line) { read_line(number, line); });
    is_in_source_ = false;
    for_each_line(text, [&](std::int64_t number, std::string_view line) {
      if (!skip_source(line)) read_launch(number, trimmed(line));
    });
  }
  std::vector<CompiledLaunch> take() { return std::move(launches_); }

 private:
  bool skip_source(std::string_view line) {
    if (is_in_source_) {
      is_in_source_ = !line.starts_with("'''");
      return true;
    }
    is_in_source_ = line.ends_with("'''");
    return is_in_source_;
  }
  void read_line(std::int64_t number, std::string_view line);
  void read_launch(std::int64_t number, std::string_view statement);
  void add(CompiledLaunch launch);
  void add_kernel(std::int64_t number, const PythonCall& call);
  void add_call(std::int64_t number, const PythonCall& call, std::string name);
  std::string operator_called(const PythonCall& call) const;

  Tensors tensors_;
  std::map<std::string_view, KernelDefinition> kernels_;
  Fragment fragment_;                    // of the comments before this line
  KernelDefinition* reading_ = nullptr;  // the kernel whose source this line is in
  bool is_in_source_ = false;
  std::optional<bool> is_backward_;
  std::string operators_;  // of the comment before this line
  std::vector<CompiledLaunch> launches_;
  std::size_t texts_ = 0;  // bytes
};

// First pass: kernels and tensors.
void CompiledFile::read_line(std::int64_t number, std::string_view line) {
  constexpr std::string_view kCompile = " = async_compile.triton(";
  if (is_in_source_) {
    if (reading_ != nullptr) reading_->read(line);
    is_in_source_ = !line.starts_with("'''");
    return;
  }
  if (line.starts_with('#')) {
    // "# AOT ID: ['3_backward']": a pass, or one of an inference
    if (line.starts_with("# AOT ID: ")) is_backward_ = line.find("_backward'") != line.npos;
    fragment_.read(line.substr(1));
    return;
  }
  reading_ = nullptr;
  is_in_source_ = line.ends_with("'''");
  const std::size_t compile = line.find(kCompile);
  if (compile != std::string_view::npos && is_identifier(line.substr(0, compile)))
    reading_ = &kernels_.try_emplace(line.substr(0, compile), number, fragment_).first->second;
  else if (!is_in_source_)
    tensors_.read(trimmed(line));
  fragment_ = {};
}

// Second pass: launches, when all tensors are known.
void CompiledFile::read_launch(std::int64_t number, std::string_view statement) {
  if (statement.starts_with('#')) {
    std::string named = operators_of_comment(statement);
    if (!named.empty() || statement.find("Source Nodes: [") != std::string_view::npos)
      operators_ = std::move(named);
    return;
  }
  const auto call = parse_call(statement);
  if (!call) return;
  if (call->function.ends_with(".run")) return add_kernel(number, *call);
  if (std::string name = operator_called(*call); !name.empty())
    add_call(number, *call, std::move(name));
}

void CompiledFile::add(CompiledLaunch launch) {
  operators_.clear();
  launch.is_backward = is_backward_;
  texts_ +=
      launch.operators.size() + launch.graph.size() + launch.inputs.size() + launch.outputs.size();
  if (launches_.size() < kMaxLaunches && texts_ < kMaxTexts) launches_.push_back(std::move(launch));
}

void CompiledFile::add_kernel(std::int64_t number, const PythonCall& call) {
  const std::string_view name = call.function.substr(0, call.function.rfind('.'));
  const auto found = kernels_.find(name);
  if (found == kernels_.end()) return;
  KernelDefinition& kernel = found->second;
  KernelDefinition::Traffic traffic = kernel.traffic(call.arguments, tensors_);
  add({.line = number,
       .definition = kernel.line(),
       .kernel = std::string(name),
       .operators = operators_.empty() ? kernel.operators() : operators_,
       .graph = kernel.graph(tensors_),
       .inputs = std::move(traffic.inputs),
       .outputs = std::move(traffic.outputs),
       .bytes_read = traffic.bytes_read,
       .bytes_written = traffic.bytes_written,
       .elements = traffic.elements});
}

// Returns the operator that a call runs, or an empty text.
std::string CompiledFile::operator_called(const PythonCall& call) const {
  constexpr std::string_view kExtern = "extern_kernels.";
  if (call.function.starts_with("torch.ops.")) return operator_named(call.function);
  if (!call.function.starts_with(kExtern)) return {};
  const std::string_view name = call.function.substr(kExtern.size());
  return is_identifier(name) ? "aten::" + std::string(name == "bias_addmm" ? "addmm" : name) : "";
}

// Names of arguments stand for places that operators of PyTorch have in their declarations.
void CompiledFile::add_call(std::int64_t number, const PythonCall& call, std::string name) {
  OperatorText text(name);
  for (const std::string_view argument : call.arguments) {
    const Tensor tensor = tensors_.of(argument);
    if (tensor.sizes || is_identifier(argument))
      text.add_tensor(tensor);
    else
      text.add_value(argument);
  }
  if (name == "aten::convolution") {
    for (std::size_t i = call.arguments.size(); i < 3; ++i) text.add_value("None");  // no bias
    for (const std::string_view each : {"stride", "padding", "dilation", "transposed"}) {
      const std::string_view value = call.keyword(each);
      const auto numbers = parse_sizes(value);
      text.add_value(numbers ? text_of(numbers) : value);
    }
  }
  const std::string_view out = call.keyword("out");
  add({.line = number,
       .kernel = std::string(call.function),
       .operators = std::move(name),
       .graph = text.text(tensors_.of(out.empty() ? call.result : out)) + '\n'});
}

}  // namespace

std::vector<CompiledLaunch> parse_compiled_file(std::string_view text) {
  CompiledFile file;
  file.read(text);
  return file.take();
}

// The name of a file is "c" and 51 letters and digits of a hash in base 32.
bool is_compiled_file(std::string_view path) {
  constexpr std::string_view kEnd = ".py";
  constexpr std::size_t kName = 52;
  if (!path.starts_with('/') || !path.ends_with(kEnd)) return false;
  path.remove_suffix(kEnd.size());
  const std::size_t slash = path.rfind('/');
  const std::string_view name = path.substr(slash + 1);
  const std::string_view folder = path.substr(0, slash);
  const auto is_digit = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '2' && c <= '7'); };
  return name.size() == kName && name.starts_with('c') && std::ranges::all_of(name, is_digit) &&
         folder.ends_with(name.substr(1, 2)) && folder.size() > 3 &&
         folder[folder.size() - 3] == '/';
}

}  // namespace prof::ingest
