// Compares our declarations of NVTX's binary interface with its header.
#include "injection/nvtx/abi.hpp"

#include <gtest/gtest.h>
#define NVTX_DISABLE 0
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include "injection/wire/records.hpp"

namespace prof::nvtx {
namespace {

TEST(NvtxAbi, EventAttributes) {
  EXPECT_EQ(sizeof(EventAttributes), sizeof(nvtxEventAttributes_t));
#define SAME(ours, theirs) \
  EXPECT_EQ(offsetof(EventAttributes, ours), offsetof(nvtxEventAttributes_t, theirs))
  SAME(version, version);
  SAME(size, size);
  SAME(category, category);
  SAME(color_type, colorType);
  SAME(color, color);
  SAME(payload_type, payloadType);
  SAME(payload, payload);
  SAME(message_type, messageType);
  SAME(message, message);
#undef SAME
}

TEST(NvtxAbi, Constants) {
  EXPECT_EQ(int{kColorArgb}, int{NVTX_COLOR_ARGB});
  EXPECT_EQ(int{kMessageAscii}, int{NVTX_MESSAGE_TYPE_ASCII});
  EXPECT_EQ(int{kMessageUnicode}, int{NVTX_MESSAGE_TYPE_UNICODE});
  EXPECT_EQ(int{kMessageRegistered}, int{NVTX_MESSAGE_TYPE_REGISTERED});
  EXPECT_EQ(kNoPushPopTracking, NVTX_NO_PUSH_POP_TRACKING);
  const auto payload = [](wire::NvtxPayload type) { return static_cast<int>(type); };
  EXPECT_EQ(payload(wire::NvtxPayload::kUint64), int{NVTX_PAYLOAD_TYPE_UNSIGNED_INT64});
  EXPECT_EQ(payload(wire::NvtxPayload::kInt64), int{NVTX_PAYLOAD_TYPE_INT64});
  EXPECT_EQ(payload(wire::NvtxPayload::kDouble), int{NVTX_PAYLOAD_TYPE_DOUBLE});
  EXPECT_EQ(payload(wire::NvtxPayload::kUint32), int{NVTX_PAYLOAD_TYPE_UNSIGNED_INT32});
  EXPECT_EQ(payload(wire::NvtxPayload::kInt32), int{NVTX_PAYLOAD_TYPE_INT32});
  EXPECT_EQ(payload(wire::NvtxPayload::kFloat), int{NVTX_PAYLOAD_TYPE_FLOAT});
}

TEST(NvtxAbi, CallbackIds) {
  EXPECT_EQ(static_cast<int>(Module::kCore), int{NVTX_CB_MODULE_CORE});
  EXPECT_EQ(static_cast<int>(Module::kCore2), int{NVTX_CB_MODULE_CORE2});
  EXPECT_EQ(static_cast<int>(Module::kCuda), int{NVTX_CB_MODULE_CUDA});
  EXPECT_EQ(static_cast<int>(Module::kCudart), int{NVTX_CB_MODULE_CUDART});
  EXPECT_EQ(int{kExportCallbacks}, int{NVTX_ETID_CALLBACKS});
  EXPECT_EQ(int{kMarkEx}, int{NVTX_CBID_CORE_MarkEx});
  EXPECT_EQ(int{kRangeStartEx}, int{NVTX_CBID_CORE_RangeStartEx});
  EXPECT_EQ(int{kRangePushEx}, int{NVTX_CBID_CORE_RangePushEx});
  EXPECT_EQ(int{kRangePop}, int{NVTX_CBID_CORE_RangePop});
  EXPECT_EQ(int{kNameCategoryA}, int{NVTX_CBID_CORE_NameCategoryA});
  EXPECT_EQ(int{kNameOsThreadW}, int{NVTX_CBID_CORE_NameOsThreadW});
  EXPECT_EQ(int{kDomainMarkEx}, int{NVTX_CBID_CORE2_DomainMarkEx});
  EXPECT_EQ(int{kDomainRangePop}, int{NVTX_CBID_CORE2_DomainRangePop});
  EXPECT_EQ(int{kDomainNameCategoryA}, int{NVTX_CBID_CORE2_DomainNameCategoryA});
  EXPECT_EQ(int{kDomainRegisterStringW}, int{NVTX_CBID_CORE2_DomainRegisterStringW});
  EXPECT_EQ(int{kDomainCreateA}, int{NVTX_CBID_CORE2_DomainCreateA});
  EXPECT_EQ(int{kDomainDestroy}, int{NVTX_CBID_CORE2_DomainDestroy});
  EXPECT_EQ(int{kNameCuDeviceA}, int{NVTX_CBID_CUDA_NameCuDeviceA});
  EXPECT_EQ(int{kNameCuContextA}, int{NVTX_CBID_CUDA_NameCuContextA});
  EXPECT_EQ(int{kNameCuStreamW}, int{NVTX_CBID_CUDA_NameCuStreamW});
  EXPECT_EQ(int{kNameCudaDeviceA}, int{NVTX_CBID_CUDART_NameCudaDeviceA});
  EXPECT_EQ(int{kNameCudaStreamW}, int{NVTX_CBID_CUDART_NameCudaStreamW});
}

TEST(NvtxAbi, PayloadExtension) {
  EXPECT_EQ(sizeof(ExtensionModule), sizeof(nvtxExtModuleInfo_t));
  EXPECT_EQ(offsetof(ExtensionModule, struct_size), offsetof(nvtxExtModuleInfo_t, structSize));
  EXPECT_EQ(offsetof(ExtensionModule, module), offsetof(nvtxExtModuleInfo_t, moduleId));
  EXPECT_EQ(offsetof(ExtensionModule, compatibility), offsetof(nvtxExtModuleInfo_t, compatId));
  EXPECT_EQ(offsetof(ExtensionModule, segment_count), offsetof(nvtxExtModuleInfo_t, segmentsCount));
  EXPECT_EQ(offsetof(ExtensionModule, segments), offsetof(nvtxExtModuleInfo_t, segments));
  EXPECT_EQ(sizeof(ExtensionSegment), sizeof(nvtxExtModuleSegment_t));
  EXPECT_EQ(offsetof(ExtensionSegment, slot_count), offsetof(nvtxExtModuleSegment_t, slotCount));
  EXPECT_EQ(offsetof(ExtensionSegment, slots), offsetof(nvtxExtModuleSegment_t, functionSlots));
  EXPECT_EQ(int{kPayloadExtension}, NVTX_EXT_PAYLOAD_MODULEID);
  EXPECT_EQ(int{kPayloadMajorVersion}, NVTX_EXT_PAYLOAD_COMPATID >> 8);
  EXPECT_EQ(int{kMarkPayload}, NVTX3EXT_CBID_nvtxMarkPayload);
  EXPECT_EQ(int{kRangePushPayload}, NVTX3EXT_CBID_nvtxRangePushPayload);
  EXPECT_EQ(int{kRangePopPayload}, NVTX3EXT_CBID_nvtxRangePopPayload);
  EXPECT_EQ(int{kRangeStartPayload}, NVTX3EXT_CBID_nvtxRangeStartPayload);
  EXPECT_EQ(int{kRangeEndPayload}, NVTX3EXT_CBID_nvtxRangeEndPayload);
}

}  // namespace
}  // namespace prof::nvtx
