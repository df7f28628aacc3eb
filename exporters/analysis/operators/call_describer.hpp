// Describes the calls of operators: type, shapes, work and line of code.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/operators/call_finder.hpp"
#include "exporters/analysis/operators/declared.hpp"
#include "exporters/analysis/operators/library_products.hpp"
#include "exporters/analysis/operators/operator_model.hpp"
#include "exporters/analysis/operators/result_shapes.hpp"

namespace prof::operators {

class CallDescriber {
 public:
  // The references outlive the object.
  CallDescriber(const report::ReportReader& reader, const OperatorRanges& ranges,
                const LibraryProducts& products, CallFinder& found)
      : ranges_(ranges), products_(products), found_(found), strings_(reader) {}

  // Writes OperatorCall::of of each call. Returns the operators.
  std::vector<Operator> describe();

 private:
  // What the kernels of a call tell about it.
  struct Parts {
    ElementType type = ElementType::kUnknown;
    insight::TensorCores tensor_cores = insight::TensorCores::kNo;
    bool is_for_input = false;  // a convolution's gradient of the input
    bool is_for_weight = false;
    bool is_communication = false;
  };
  // What the name of an operator tells about it.
  struct Traits {
    bool is_known = false;
    bool needs_output = false;
    bool is_convolution = false;
    bool is_convolution_backward = false;
  };
  // Calls with equal keys are calls of one operator.
  struct Key {
    std::int64_t global_pid;
    std::int32_t device;
    std::int32_t scope;
    Direction direction;
    Source source;
    insight::WorkKind kind;
    Parts parts;
    std::int64_t name;        // of an operator a number of OperatorRanges::text()
    std::int32_t sizes = -1;  // the same
    std::int32_t outermost = -1;
    std::int32_t result = -1;  // number of the result's shape
    bool is_transposed = false;
    Gradients gradients = {};
    std::int32_t products = -1;  // number of what a library computed
    const CompiledLaunch* launch = nullptr;
    bool operator==(const Key&) const;
  };
  struct HashKey {
    std::size_t operator()(const Key& key) const;
  };

  const Declared& declared_of(const ParsedName& named);
  void read_parts();
  const Parts& parts_of_kernel(std::int64_t name);
  const Traits& traits_of(std::int32_t name);
  const Traits& traits_of_range(std::int32_t range) {
    return traits_of(ranges_.parsed(range).name);
  }
  void want_results();
  template <class Visit>
  void for_each_operator(std::int32_t range, const Visit& visit) const;
  Operator describe(std::size_t call, const Key& key);
  void describe_operator(const OperatorCall& call, const Key& key, Operator& result);
  void describe_other(const CallFacts& facts, Operator& result);
  void describe_compiled(const CallFacts& facts, Operator& result) const;
  void describe_products(const ProductsOfCall& of_call, Operator& result) const;
  bool is_result_used(const OperatorCall& call, std::int64_t result) const;
  const Shape* result_of(const OperatorCall& call) const;
  // Kernels say best which gradients are computed. Else one that no operator uses was not computed.
  Gradients gradients_of(const OperatorCall& call, const Parts& parts) const;
  bool is_transposed(const OperatorCall& call) const;
  Key key_of(std::size_t call);
  void give_chains_to_backward_calls();

  const OperatorRanges& ranges_;
  const LibraryProducts& products_;
  CallFinder& found_;
  events::Strings strings_;
  ResultShapes results_;
  std::vector<Parts> parts_;  // by call
  std::unordered_map<std::int64_t, Parts> kernels_;
  std::vector<Traits> traits_;  // by number of the name
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, Declared> declared_;
  std::map<Shape, std::int32_t> shapes_;
  std::map<std::pair<std::vector<std::int64_t>, bool>, std::int32_t> combinations_;
  std::unordered_map<Key, std::int32_t, HashKey> numbers_;
  std::vector<Operator> operators_;
};

}  // namespace prof::operators
