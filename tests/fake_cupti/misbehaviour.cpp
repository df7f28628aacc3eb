#include <cstdlib>
#include <sstream>

#include "fake_cupti.hpp"

namespace fake {

namespace {

void set_from(const std::string& word, Misbehaviour& all) {
  const auto equals = word.find('=');
  const std::string name = word.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
  if (name == "taken") all.taken = true;
  if (name == "unnamed") all.unnamed = true;
  if (name == "drop") all.drop = true;
  if (name == "unknown_kind") all.unknown_kind = true;
  if (name == "no_clock") all.no_clock = true;
  if (name == "on_app_thread") all.on_app_thread = true;
  if (name == "busy") all.busy = true;
  if (name == "hang_flush") all.hang_flush = std::atoi(value.c_str());
  if (name == "slow_start") all.slow_start = std::atoi(value.c_str());
  if (name == "slow_end") all.slow_end = std::atoi(value.c_str());
  if (name == "gone_at") all.gone_at = std::atoi(value.c_str());
  if (name == "overflow_at") all.overflow_at = std::atoi(value.c_str());
  if (name == "hole_at") all.hole_at = std::atoi(value.c_str());
  if (name == "most_metrics") all.most_metrics = static_cast<std::size_t>(std::atoi(value.c_str()));
  if (name == "full_at") all.full_at = std::atoi(value.c_str());
  if (name == "no_buffer_size") all.no_buffer_size = true;
  if (name == "broken_buffer_size") all.broken_buffer_size = true;
  if (name == "old") all.version = 18;
  if (name == "v123") all.version = 21;
  if (name == "v12") all.version = 24;
  if (name == "v133") all.version = 130301;
  if (name == "v134") all.version = 130401;
  if (name == "v135") all.version = 130500;
  if (name == "older_driver") all.older_driver = true;
  if (name == "one_subscriber") all.one_subscriber = true;
  if (name == "strict") all.strict = true;
  if (name == "wide_ids") all.wide_ids = true;
  if (name == "no_selections") all.no_selections = true;
  if (name == "only_selections") all.only_selections = true;
  if (name == "hes_unsupported") all.no_hardware_trace = true;
  if (name == "hes" || name == "hes_full") all.is_blackwell = true;
  if (name == "hes_full") all.hardware_records = static_cast<std::size_t>(std::atoi(value.c_str()));
  if (name == "mps") all.mps = true;
  if (name == "mig") all.mig = true;
  if (name == "fail") all.fail = value;
  if (name == "result") all.result = static_cast<CUptiResult>(std::atoi(value.c_str()));
}

Misbehaviour read() {
  Misbehaviour all;
  const char* text = std::getenv("FAKE_CUPTI");
  std::istringstream words(text == nullptr ? "" : text);
  for (std::string word; std::getline(words, word, ',');) set_from(word, all);
  return all;
}

}  // namespace

int physical(int ordinal) {
  const char* first = std::getenv("FAKE_CUDA_FIRST");
  return (ordinal + (first == nullptr ? 0 : std::atoi(first))) % 2;
}

const Misbehaviour& misbehaviour() {
  static const auto& all = *new Misbehaviour(read());
  return all;
}

}  // namespace fake
