#include "exporters/analysis/operators/call_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>

#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/operators/limits.hpp"

namespace prof::operators {

void WorkSum::add(const OperatorModel& model, const OperatorCall& call) {
  const Operator& each = model.operator_of(call);
  gpu_time = events::sum(gpu_time, call.gpu_time);
  if (each.work.matrix_flops && each.work.vector_flops) {
    matrix_flops = events::sum(matrix_flops, *each.work.matrix_flops);
    vector_flops = events::sum(vector_flops, *each.work.vector_flops);
    computing_time = events::sum(computing_time, call.gpu_time);
  }
  if (const auto moved = model.bytes_of(call)) {
    bytes = events::sum(bytes, *moved);
    moving_time = events::sum(moving_time, call.gpu_time);
  }
  if (const std::optional<Limit>& limit = model.limit_of(call)) {
    limited_time = events::sum(limited_time, call.gpu_time);
    least_compute += limit->compute;
    least_memory += limit->memory;
    least += limit->least();
  }
}

void WorkSum::add(const WorkSum& other) {
  for (const auto part :
       {&WorkSum::matrix_flops, &WorkSum::vector_flops, &WorkSum::bytes, &WorkSum::gpu_time,
        &WorkSum::computing_time, &WorkSum::moving_time, &WorkSum::limited_time})
    this->*part = events::sum(this->*part, other.*part);
  for (const auto part : {&WorkSum::least_compute, &WorkSum::least_memory, &WorkSum::least})
    this->*part += other.*part;
}

namespace {

std::string group_key_of(const OperatorModel& model, const Operator& each, GroupBy by) {
  switch (by) {
    case GroupBy::kName:
      return each.name;
    case GroupBy::kModule:
      return model.scope_path(each.scope);
    case GroupBy::kCategory:
      return each.work.category;
    case GroupBy::kOperator:
      break;
  }
  return fmt::format("{}\n{}\n{}\n{} {} {} {} {}", each.name, each.shapes, each.products,
                     each.scope, static_cast<int>(each.direction), static_cast<int>(each.type),
                     static_cast<int>(each.tensor_cores), static_cast<int>(each.source));
}

}  // namespace

std::vector<CallGroup> call_groups(const OperatorModel& model, GroupBy by) {
  std::vector<CallGroup> groups;
  std::unordered_map<std::string, std::size_t> numbers;
  std::vector<std::size_t> group_of;  // by operator
  for (const Operator& each : model.operators()) {
    const auto [number, is_new] = numbers.try_emplace(group_key_of(model, each, by), groups.size());
    if (is_new) groups.push_back({.example = &each, .times = {}, .longest = nullptr, .work = {}});
    group_of.push_back(number->second);
  }
  for (const OperatorCall& call : model.calls()) {
    CallGroup& group = groups[group_of[static_cast<std::size_t>(call.of)]];
    group.times.push_back(call.gpu_time);
    group.operations += call.operations;
    if (group.chain == 0) group.chain = call.chain;
    if (group.longest == nullptr || call.gpu_time > group.longest->gpu_time) group.longest = &call;
    group.work.add(model, call);
  }
  std::ranges::stable_sort(groups, [](const CallGroup& a, const CallGroup& b) {
    return a.work.gpu_time != b.work.gpu_time ? a.work.gpu_time > b.work.gpu_time
                                              : a.example->name < b.example->name;
  });
  return groups;
}

}  // namespace prof::operators
