// Clients as the libraries are that use CUPTI today: which functions they try, on which errors they
// use others or give CUPTI up, how they flush and end.
#include <map>
#include <string>

#include "scenarios.hpp"
#include "user.hpp"

namespace fake {

namespace {

struct Style {
  const char* library;
  bool tries_scoped = false;      // calls the functions with a subscriber first
  bool allows_others = true;      // in that subscription
  bool falls_back_alone = false;  // also if another subscriber is why that failed
  bool falls_back = true;
  bool forces_flushes = false;
  bool finalizes = false;
  Clock clock = Clock::kDefault;  // which one the client registers
};

const std::map<std::string, Style> kStyles = {
    {"kineto", {.library = "fake_client_0.so", .clock = Clock::kTicks}},
    {"proton", {.library = "fake_client_lookup.so", .finalizes = true}},
    {"xla", {.library = "fake_client_lookup.so", .tries_scoped = true}},
    {"mosaic", {.library = "fake_client_1.so", .tries_scoped = true, .falls_back_alone = true}},
    {"monitor", {.library = "fake_client_lookup.so", .tries_scoped = true, .falls_back = false}},
    {"exclusive",
     {.library = "fake_client_0.so",
      .tries_scoped = true,
      .allows_others = false,
      .falls_back = false}},
    {"forcing", {.library = "fake_client_0.so", .forces_flushes = true, .clock = Clock::kShifted}},
    {"finalizing", {.library = "fake_client_0.so", .finalizes = true}},
};

const std::vector<int> kStyleKinds = {kKernel, CUPTI_ACTIVITY_KIND_MEMCPY, kRuntime};

class Session {
 public:
  Session(int number, const std::string& name)
      : style_(kStyles.at(name)), user_(User::create(number, style_.library)) {}

  // Returns whether the client can record.
  bool begin() {
    if (style_.tries_scoped) {
      error_ = user_.subscribe_scoped(style_.allows_others);
      const bool may_fall_back =
          error_ == CUPTI_ERROR_NOT_SUPPORTED || error_ == CUPTI_ERROR_UNKNOWN ||
          (style_.falls_back_alone && error_ == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
      if (error_ != CUPTI_SUCCESS && !(style_.falls_back && may_fall_back)) return false;
    }
    if (!style_.tries_scoped || error_ != CUPTI_SUCCESS) {
      const CUptiResult older = user_.try_to_subscribe();
      if (older != CUPTI_SUCCESS) {
        error_ = older;
        return false;
      }
    }
    if (style_.clock != Clock::kDefault) user_.use_clock(style_.clock);
    user_.register_callbacks();
    return true;
  }
  void enable() { user_.enable(kStyleKinds); }
  void flush_between() {
    if (style_.forces_flushes) user_.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  }
  void end() {
    user_.disable(kStyleKinds);
    user_.flush(style_.forces_flushes ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
    user_.unsubscribe();
    if (style_.finalizes) user_.finalize();
  }
  Json answer() {
    Json made = user_.answer();
    made["error"] = error_;
    return made;
  }

 private:
  const Style& style_;
  User& user_;
  CUptiResult error_ = CUPTI_SUCCESS;
};

void work_of_a_session(Gpu& gpu, const std::vector<Session*>& recording) {
  gpu.launch("_Z5firstv", kFirst);
  for (Session* session : recording) session->flush_between();
  gpu.copy(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE,
           CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, 4096, kOther);
  gpu.launch("_Z6secondv", kOther);
}

}  // namespace

// `words`: "late" or "early", then the names of clients, in their order of arrival. The clients
// record three times. Early, the first session begins before CUDA does.
Json styles(const std::vector<std::string>& words) {
  Gpu gpu;
  std::vector<std::unique_ptr<Session>> sessions;
  for (std::size_t i = 1; i < words.size(); ++i)
    sessions.push_back(std::make_unique<Session>(static_cast<int>(i) - 1, words[i]));
  const auto start_cuda = [&] {
    cuInit(0);
    gpu.set_up();
  };
  if (words.at(0) == "late") start_cuda();
  for (int round = 0; round < 3; ++round) {
    std::vector<Session*> recording;
    for (const auto& session : sessions)
      if (session->begin()) recording.push_back(session.get());
    if (round == 0 && words[0] == "early") start_cuda();
    gpu.launch("_Z6beforev", kFirst);
    for (Session* session : recording) session->enable();
    work_of_a_session(gpu, recording);
    for (Session* session : recording) session->end();
    gpu.launch("_Z5afterv", kFirst);
  }
  Json answer = Json::array();
  for (const auto& session : sessions) answer.push_back(session->answer());
  return answer;
}

// Two clients get the records of a link, each with separate arrays, which it frees.
Json links() {
  StartedGpu gpu;
  User& a = User::create(0, "fake_client_0.so");
  User& b = User::create(1, "fake_client_1.so");
  for (User* user : {&a, &b}) user->register_callbacks();
  for (User* user : {&a, &b}) user->enable({CUPTI_ACTIVITY_KIND_NVLINK});
  for (User* user : {&a, &b}) user->flush();
  for (User* user : {&a, &b}) user->disable({CUPTI_ACTIVITY_KIND_NVLINK});
  return {a.answer(), b.answer()};
}

}  // namespace fake
