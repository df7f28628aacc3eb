// Compares our declarations of NVTX's binary interface with its header.
#include "injection/nvtx/abi.hpp"

#include <gtest/gtest.h>
#define NVTX_DISABLE 0
#include <nvtx3/nvToolsExt.h>

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

}  // namespace
}  // namespace prof::nvtx
