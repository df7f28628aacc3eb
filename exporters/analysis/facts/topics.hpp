// What a reader can ask facts about.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace prof::facts {

enum class Topic : std::uint8_t {
  kVerdict,  // what limits the program, and all findings
  kIdle,
  kKernels,
  kMemory,
  kCommunication,
  kCpu,
  kPython,
  kIo,
  kOperators,
  kClocks,
  kRecord,  // what was recorded
};

// Words that do not change, in the order of the topics.
std::span<const std::string_view> topic_names();
std::string_view name_of(Topic topic);
std::optional<Topic> find_topic(std::string_view name);

// Returns the topic of a finding; the verdict if the name is unknown.
Topic topic_of(std::string_view rule);

// Returns what a report must have for facts about the topic, as missing.hpp names it.
std::span<const std::string_view> needs_of(Topic topic);

}  // namespace prof::facts
