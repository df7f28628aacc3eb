// Creations of pipelines. The driver says how long each of them, and each stage of it, took, if the
// program or prof asks for that (VkPipelineCreationFeedbackCreateInfo).
#include <algorithm>

#include "injection/core/clock.hpp"
#include "injection/graphics/vulkan/calls.hpp"
#include "injection/graphics/vulkan/recording.hpp"

namespace prof::vulkan {

namespace {

// Calls that create more pipelines, and pipelines with more stages, are recorded without what the
// driver says.
constexpr std::uint32_t kMaxPipelines = 16;
constexpr std::uint32_t kMaxStages = 8;

std::uint32_t stages_of(const VkComputePipelineCreateInfo&) { return 1; }
template <class Info>
std::uint32_t stages_of(const Info& info) {
  return info.stageCount;
}

// Returns the question of the program itself, if it has one.
const VkPipelineCreationFeedbackCreateInfo* question_of(const void* chain) {
  for (auto* each = static_cast<const VkBaseInStructure*>(chain); each != nullptr;
       each = each->pNext)
    if (each->sType == VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO)
      return reinterpret_cast<const VkPipelineCreationFeedbackCreateInfo*>(each);
  return nullptr;
}

// prof's question about one pipeline, and the driver's answer.
struct Question {
  VkPipelineCreationFeedbackCreateInfo info;
  VkPipelineCreationFeedback whole;
  VkPipelineCreationFeedback stages[kMaxStages];
};

// The infos of a call with the questions added.
template <class Info>
class Questions {
 public:
  static bool fit(std::uint32_t count) { return count <= kMaxPipelines; }

  Questions(const Info* infos, std::uint32_t count) : count_(count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      infos_[i] = infos[i];
      asked_[i] = question_of(infos[i].pNext);
      if (asked_[i] == nullptr) ask(i);
    }
  }
  Questions(const Questions&) = delete;
  Questions& operator=(const Questions&) = delete;

  const Info* infos() const { return infos_; }

  void write_answers(std::uint64_t start) const {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (!write(start, asked_[i]->pPipelineCreationFeedback, 0)) continue;
      for (std::uint32_t stage = 0; stage < asked_[i]->pipelineStageCreationFeedbackCount; ++stage)
        write(start, &asked_[i]->pPipelineStageCreationFeedbacks[stage], wire::kVulkanIsStage);
    }
  }

 private:
  void ask(std::uint32_t i) {
    Question& question = own_[i];
    const std::uint32_t stages = stages_of(infos_[i]);
    question = {};
    question.info = {VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO, infos_[i].pNext,
                     &question.whole, stages <= kMaxStages ? stages : 0, question.stages};
    infos_[i].pNext = &question.info;
    asked_[i] = &question.info;
  }

  // Returns false if the driver did not answer.
  static bool write(std::uint64_t start, const VkPipelineCreationFeedback* answer,
                    std::uint8_t flags) {
    if (answer == nullptr || (answer->flags & VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT) == 0)
      return false;
    if (core::paused()) return false;
    core::append_here(
        wire::VulkanPipelineRecord{core::header_of<wire::VulkanPipelineRecord>(
                                       wire::RecordType::kVulkanPipeline, answer->flags, flags),
                                   start, answer->duration});
    return true;
  }

  std::uint32_t count_;
  Info infos_[kMaxPipelines];
  Question own_[kMaxPipelines];
  const VkPipelineCreationFeedbackCreateInfo* asked_[kMaxPipelines];
};

// `create(infos)` calls the real function.
template <class Info, class Create>
VkResult create_pipelines(Index index, VkDevice handle, std::uint32_t count, const Info* infos,
                          Create create) {
  const std::uint64_t start = begin_call();
  if (start == 0) return create(infos);
  if (!device_of(handle).has_feedback || !Questions<Info>::fit(count)) {
    const VkResult result = create(infos);
    end_call(index, start, number_of(handle));
    check(result);
    return result;
  }
  const Questions<Info> questions(infos, count);
  const VkResult result = create(questions.infos());
  end_call(index, start, number_of(handle));
  check(result);
  if (result >= 0) questions.write_answers(start);
  return result;
}

}  // namespace

VkResult create_compute_pipelines(VkDevice device, VkPipelineCache cache, std::uint32_t count,
                                  const VkComputePipelineCreateInfo* infos,
                                  const VkAllocationCallbacks* allocator, VkPipeline* pipelines) {
  const auto next = real<PFN_vkCreateComputePipelines>(device_of(device), kCreateComputePipelines);
  return create_pipelines(kCreateComputePipelines, device, count, infos,
                          [&](const VkComputePipelineCreateInfo* all) {
                            return next(device, cache, count, all, allocator, pipelines);
                          });
}

VkResult create_graphics_pipelines(VkDevice device, VkPipelineCache cache, std::uint32_t count,
                                   const VkGraphicsPipelineCreateInfo* infos,
                                   const VkAllocationCallbacks* allocator, VkPipeline* pipelines) {
  const auto next =
      real<PFN_vkCreateGraphicsPipelines>(device_of(device), kCreateGraphicsPipelines);
  return create_pipelines(kCreateGraphicsPipelines, device, count, infos,
                          [&](const VkGraphicsPipelineCreateInfo* all) {
                            return next(device, cache, count, all, allocator, pipelines);
                          });
}

}  // namespace prof::vulkan
