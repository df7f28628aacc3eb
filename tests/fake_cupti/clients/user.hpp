// A client in action: gives CUPTI buffers and a clock, and keeps what it gets.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "client.hpp"

namespace fake {

using Json = nlohmann::json;

enum class Clock { kDefault, kTicks, kShifted };

class User {
 public:
  static constexpr int kMaximum = 4;

  // Loads the library `file` from the folder of the program. Users have numbers from 0 on. They
  // last until the process ends, because CUPTI may call them until then.
  static User& create(int number, const std::string& file) { return *new User(number, file); }

  const Cupti& cupti() const { return *cupti_; }
  const ScopedCupti& scoped() const { return *scoped_; }
  CUpti_SubscriberHandle handle() const { return handle_; }

  // Aborts if a call fails that has to succeed.
  void must(CUptiResult result, const char* what);

  void register_callbacks();
  void use_clock(Clock clock);
  void enable(const std::vector<int>& kinds);
  void disable(const std::vector<int>& kinds);
  void subscribe();
  CUptiResult try_to_subscribe();
  // Subscribes by the functions with a subscriber, which the user uses from then on if that works.
  CUptiResult subscribe_scoped(bool allows_others);
  // Unsubscribes, or does what ends all that the library does with CUPTI.
  void unsubscribe();
  void finalize();
  void push(int kind, std::uint64_t id);
  void pop(int kind);
  void flush(std::uint32_t flags = 0);
  std::uint64_t time() const;  // the client's clock

  // How it behaves.
  std::size_t buffer_bytes = 1 << 16;
  std::size_t buffer_records = 0;
  bool gives_buffers = true;
  std::atomic<int> buffers = 0;                          // given and not returned yet
  std::atomic<int> clock_readings = 0;                   // by CUPTI
  std::atomic<CUptiResult (*)(User&)> inside = nullptr;  // called once, at the exit of a call

  // What it got: records, callbacks by function, dropped records.
  Json answer();
  std::size_t records();

  void request(std::uint8_t** memory, std::size_t* size, std::size_t* records);
  void complete(std::uint8_t* memory, std::size_t valid);
  void call_back(CUpti_CallbackDomain domain, const CUpti_CallbackData& data);
  std::uint64_t read_clock() const;

 private:
  User(int number, const std::string& file);
  void keep(const CUpti_Activity* record);
  std::size_t count_dropped();

  int number_;
  std::uint32_t owner_;  // the thread that made it, as clients know threads
  const Cupti* cupti_ = nullptr;
  const ScopedCupti* scoped_ = nullptr;
  bool is_scoped_ = false;
  CUpti_SubscriberHandle handle_ = nullptr;
  std::atomic<Clock> clock_ = Clock::kDefault;
  std::uint64_t began_ = 0;
  std::mutex lock_;
  Json records_ = Json::array();
  std::map<std::string, int> callbacks_;
  int foreign_words_ = 0;  // correlation data of someone else
  std::size_t dropped_ = 0;
};

}  // namespace fake
