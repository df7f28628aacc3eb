// Describes the calls of operators: type, shapes, work and line of code.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/operators/call_finder.hpp"
#include "exporters/analysis/operators/operator_model.hpp"
#include "exporters/analysis/operators/result_shapes.hpp"

namespace prof::operators {

class CallDescriber {
 public:
  CallDescriber(const report::ReportReader& reader, const OperatorRanges& ranges, CallFinder& found)
      : ranges_(ranges), found_(found), strings_(reader) {}

  // Writes OperatorCall::of of each call. Returns the operators.
  std::vector<Operator> describe();

 private:
  // What the kernels of a call tell about it.
  struct Parts {
    ElementType type = ElementType::kUnknown;
    insight::TensorCores tensor_cores = insight::TensorCores::kNo;
    bool is_for_input = false;  // a convolution's gradient of the input
    bool is_for_weight = false;
  };

  void read_parts();
  const Parts& parts_of_kernel(std::int64_t name);
  void want_results();
  template <class Visit>
  void for_each_operator(std::int32_t range, const Visit& visit) const;
  Operator describe(std::size_t call);
  void describe_operator(std::size_t call, Operator& result) const;
  void describe_other(const CallFacts& facts, Operator& result);
  void add_work(std::size_t call, const NamedRange& named, Operator& result) const;
  bool is_result_used(const OperatorCall& call, std::int64_t result) const;
  const Shape* result_of(const OperatorCall& call) const;
  bool is_transposed(const OperatorCall& call) const;
  std::string key_of(std::size_t call) const;
  void give_chains_to_backward_calls();

  const OperatorRanges& ranges_;
  CallFinder& found_;
  events::Strings strings_;
  ResultShapes results_;
  std::vector<Parts> parts_;  // by call
  std::unordered_map<std::int64_t, Parts> kernels_;
  std::unordered_map<std::string, std::int32_t> numbers_;
  std::vector<Operator> operators_;
};

}  // namespace prof::operators
