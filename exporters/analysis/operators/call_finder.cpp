#include "exporters/analysis/operators/call_finder.hpp"

#include <algorithm>

#include "exporters/analysis/events/strings.hpp"

namespace prof::operators {

using insight::WorkKind;

base::Status CallFinder::read() {
  auto libraries = LibraryCalls::read(reader_);
  if (!libraries) return tl::make_unexpected(libraries.error());
  libraries_ = std::move(*libraries);
  auto launches = CompiledLaunches::read(reader_);
  if (!launches) return tl::make_unexpected(launches.error());
  launches_ = std::move(*launches);
  for (std::size_t i = 0; i < launched_.operations.size(); ++i)
    add(launched_.operations[i], launched_.node_of(i));
  add_products();
  return {};
}

void CallFinder::add(GpuOperation& operation, std::int64_t node) {
  const std::int32_t number = call_of(operation, node);
  operation.call = number;
  OperatorCall& call = calls[static_cast<std::size_t>(number)];
  if (call.operations++ == 0) {
    call.start = operation.start;
    call.end = operation.end;
    call.global_pid = operation.global_pid;
    call.device = operation.device;
  }
  call.start = std::min(call.start, operation.start);
  call.end = std::max(call.end, operation.end);
  call.gpu_time += operation.duration();
  call.copied += operation.bytes;
}

// An operation of a CUDA graph belongs to what was going on when its node was captured, if that is
// known, else to what launches the graph.
CallFinder::Moment CallFinder::moment_of(const GpuOperation& operation, std::int64_t node,
                                         const events::ApiCall& launch,
                                         OperatorRanges::Place& place) {
  Moment moment{launch.global_tid, launch.start, launched_.chain_of(launch)};
  const std::int32_t origin = launched_.nodes.origin(operation.global_pid, node, launch.start);
  if (origin != events::GraphNodes::kNone) {
    const events::NodeOrigin& captured = launched_.nodes.at(origin);
    place = ranges_.place(captured.global_tid, captured.time);
    if (captured.chain != 0) moment.chain = captured.chain;
    const bool has_range =
        place.innermost != OperatorRanges::kNone || place.scope != OperatorRanges::kNone;
    if (has_range || libraries_.around(captured.global_tid, captured.time) != nullptr) {
      moment.global_tid = captured.global_tid;
      moment.time = captured.time;
    }
    if (has_range) return moment;
  }
  if (node == 0 || range_of_ != events::RangeOf::kCapture)
    place = ranges_.place(launch.global_tid, launch.start);
  return moment;
}

void CallFinder::add_source(const LibraryCall* library, CallFacts& facts) const {
  facts.source = source_of(ranges_, facts.place, library);
  if (facts.source != Source::kLibrary) return;
  facts.name = library->name;
  if (library->product != 0) facts.kind = WorkKind::kKernel;  // of all its operations
}

const CallFinder::Compiled& CallFinder::compiled(std::int64_t kernel) {
  const auto [known, is_new] = compiled_.try_emplace(kernel);
  if (is_new) {
    const std::string& name = strings_.text(kernel);
    known->second = {parse_inductor_name(name), parse_xla_name(name)};
  }
  return known->second;
}

// A range around a kernel of Inductor is that of the whole compiled function. XLA's ranges are
// those of its instructions. An operator of PyTorch that a compiled function calls has its own
// range, which knows more than the file.
void CallFinder::add_compiled(const GpuOperation& operation, const Moment& moment,
                              CallFacts& facts) {
  if (!launches_.is_empty())
    facts.launch =
        launches_.find(moment.chain, operation.global_pid, strings_.text(operation.name));
  if (facts.launch != nullptr && facts.launch->is_call && facts.source == Source::kOperator &&
      ranges_.text(ranges_.parsed(facts.place.innermost).name).find("::") != std::string_view::npos)
    facts.launch = nullptr;
  const Compiled& kernel = compiled(facts.name);
  const bool has_better = facts.source == Source::kOperator || facts.source == Source::kLibrary;
  if (facts.launch == nullptr && !kernel.by_inductor && (!kernel.by_xla || has_better)) return;
  facts.source = Source::kCompiled;
  const bool is_backward = facts.launch != nullptr
                               ? facts.launch->is_backward
                               : kernel.by_inductor && kernel.by_inductor->is_backward;
  if (is_backward && facts.place.direction == Direction::kForward)
    facts.place.direction = Direction::kBackward;
}

// An operator may launch several kernels. They are one call of it if they are in one call of a
// library, else if they follow each other and the first one does not come again.
std::int32_t& CallFinder::call_of_line(const GpuOperation& operation, const CallFacts& facts,
                                       const Moment& moment, const LibraryCall* library,
                                       std::int64_t graph_launch) {
  if (library != nullptr) return call_of_product(library, graph_launch);
  LastKernel& last = last_kernels_[moment.global_tid];
  if (last.launch != facts.launch || last.graph_launch != graph_launch ||
      last.first == operation.name)
    last = {facts.launch, operation.name, graph_launch, kNoCall};
  return last.call;
}

std::int32_t CallFinder::call_of(const GpuOperation& operation, std::int64_t node) {
  CallFacts found{
      .place = {}, .name = operation.name, .source = Source::kName, .kind = operation.kind};
  Moment moment{};
  const LibraryCall* library = nullptr;
  const events::ApiCall* launch =
      launched_.calls.launching(operation.global_pid, operation.correlation, near_launch_);
  if (launch != nullptr) {
    moment = moment_of(operation, node, *launch, found.place);
    library = libraries_.around(moment.global_tid, moment.time);
    add_source(library, found);
  }
  if (operation.kind == WorkKind::kKernel) add_compiled(operation, moment, found);
  const LibraryCall* product = library != nullptr && library->product != 0 ? library : nullptr;
  std::int32_t alone = kNoCall;  // each other operation is a call
  std::int32_t* number = &alone;
  const std::int64_t graph_launch = node != 0 ? operation.correlation : 0;
  if (found.source == Source::kOperator)
    number = &call_of_range(found.place.innermost, graph_launch);
  else if (found.source == Source::kLibrary && product != nullptr)
    number = &call_of_product(product, graph_launch);
  else if (found.launch != nullptr && found.launch->is_call)
    number = &call_of_line(operation, found, moment, library, graph_launch);
  else if (!launches_.is_empty())
    last_kernels_.erase(moment.global_tid);
  if (*number == kNoCall) *number = new_call(found, launch, moment);
  if (libraries_.has_products()) product_of_operation_.emplace_back(*number, product);
  return *number;
}

std::int32_t& CallFinder::call_of_range(std::int32_t range, std::int64_t graph_launch) {
  return graph_launch == 0
             ? call_of_range_[static_cast<std::size_t>(range)]
             : call_of_graph_.try_emplace({range, graph_launch}, kNoCall).first->second;
}

std::int32_t& CallFinder::call_of_product(const LibraryCall* product, std::int64_t graph_launch) {
  const auto address = reinterpret_cast<std::intptr_t>(product);
  return call_of_product_.try_emplace({address, graph_launch}, kNoCall).first->second;
}

// Several operations may be of one product.
void CallFinder::add_products() {
  std::ranges::sort(product_of_operation_);
  const auto end = std::ranges::unique(product_of_operation_).begin();
  std::int32_t has_other_work = kNoCall;
  for (auto each = product_of_operation_.begin(); each != end; ++each) {
    const auto [call, product] = *each;
    if (product == nullptr) {  // the first of its call
      has_other_work = call;
      continue;
    }
    ProductsOfCall& of_call = products[call];
    of_call.ids.push_back(product->product);
    of_call.has_other_work = has_other_work == call;
  }
  for (auto& [call, of_call] : products) std::ranges::sort(of_call.ids);
}

std::int32_t CallFinder::new_call(const CallFacts& found, const events::ApiCall* launch,
                                  const Moment& moment) {
  OperatorCall call{.range = found.place.innermost,
                    .forward = found.place.forward,
                    .sequence = found.place.sequence};
  if (launch != nullptr) {
    call.global_tid = launch->global_tid;
    call.launched = launch->start;
    call.chain = moment.chain;
  }
  facts.push_back(found);
  calls.push_back(call);
  return static_cast<std::int32_t>(calls.size() - 1);
}

}  // namespace prof::operators
