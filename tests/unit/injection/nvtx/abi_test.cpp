// Compares our declarations of NVTX's binary interface with its header.
#include "injection/nvtx/abi.hpp"

#include <gtest/gtest.h>
#define NVTX_DISABLE 0
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtMem.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtSemanticsCorrelation.h>
#include <nvtx3/nvToolsExtSemanticsCounters.h>
#include <nvtx3/nvToolsExtSemanticsScope.h>
#include <nvtx3/nvToolsExtSemanticsTime.h>
#include <nvtx3/nvToolsExtSync.h>

#include "common/wire/nvtx_payloads/payload_types.hpp"
#include "common/wire/records.hpp"
#include "injection/nvtx/extension_abi.hpp"

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
  EXPECT_EQ(int{kCountersExtension}, NVTX_EXT_COUNTERS_MODULEID);
  EXPECT_EQ(int{kMemoryExtension}, NVTX_EXT_MODULEID_MEM);
  EXPECT_EQ(int{kExtensionMajorVersion}, NVTX_EXT_PAYLOAD_COMPATID >> 8);
  EXPECT_EQ(int{kExtensionMajorVersion}, NVTX_EXT_COUNTERS_COMPATID >> 8);
  EXPECT_EQ(kPayloadTypeExtended, NVTX_PAYLOAD_TYPE_EXT);
  EXPECT_EQ(kFirstStaticId, std::uint64_t{NVTX_PAYLOAD_SCHEMA_ID_STATIC_START});
  EXPECT_EQ(kFirstDynamicId, NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START);
}

TEST(NvtxAbi, SlotsOfExtensions) {
#define SLOT(ours, theirs) EXPECT_EQ(int{ours}, NVTX3EXT_CBID_##theirs)
  SLOT(kPayloadSchemaRegister, nvtxPayloadSchemaRegister);
  SLOT(kPayloadEnumRegister, nvtxPayloadEnumRegister);
  SLOT(kMarkPayload, nvtxMarkPayload);
  SLOT(kRangePushPayload, nvtxRangePushPayload);
  SLOT(kRangePopPayload, nvtxRangePopPayload);
  SLOT(kRangeStartPayload, nvtxRangeStartPayload);
  SLOT(kRangeEndPayload, nvtxRangeEndPayload);
  SLOT(kDomainIsEnabled, nvtxDomainIsEnabled);
  SLOT(kTimestampGet, nvtxTimestampGet);
  SLOT(kTimeDomainRegister, nvtxTimeDomainRegister);
  SLOT(kTimerSource, nvtxTimerSource);
  SLOT(kTimerSourceWithData, nvtxTimerSourceWithData);
  SLOT(kScopeRegister, nvtxScopeRegister);
  SLOT(kTimeSyncPoint, nvtxTimeSyncPoint);
  SLOT(kTimeSyncPointTable, nvtxTimeSyncPointTable);
  SLOT(kTimestampConversionFactor, nvtxTimestampConversionFactor);
  SLOT(kEventSubmit, nvtxEventSubmit);
  SLOT(kEventBatchSubmit, nvtxEventBatchSubmit);
  SLOT(kMemHeapRegister, nvtxMemHeapRegister);
  SLOT(kMemHeapUnregister, nvtxMemHeapUnregister);
  SLOT(kMemHeapReset, nvtxMemHeapReset);
  SLOT(kMemRegionsRegister, nvtxMemRegionsRegister);
  SLOT(kMemRegionsResize, nvtxMemRegionsResize);
  SLOT(kMemRegionsUnregister, nvtxMemRegionsUnregister);
  SLOT(kMemRegionsName, nvtxMemRegionsName);
  SLOT(kCounterRegister, nvtxCounterRegister);
  SLOT(kCounterSampleInt64, nvtxCounterSampleInt64);
  SLOT(kCounterSampleFloat64, nvtxCounterSampleFloat64);
  SLOT(kCounterSample, nvtxCounterSample);
  SLOT(kCounterSampleNoValue, nvtxCounterSampleNoValue);
  SLOT(kCounterBatchSubmit, nvtxCounterBatchSubmit);
#undef SLOT
}

TEST(NvtxAbi, LayoutsOfExtensions) {
#define SIZE(ours, theirs) EXPECT_EQ(sizeof(ours), sizeof(theirs))
#define SAME(ours, field, theirs, their_field) \
  EXPECT_EQ(offsetof(ours, field), offsetof(theirs, their_field))
  SIZE(PayloadData, nvtxPayloadData_t);
  SAME(PayloadData, payload, nvtxPayloadData_t, payload);
  SIZE(SemanticsHeader, nvtxSemanticsHeader_t);
  SAME(SemanticsHeader, id, nvtxSemanticsHeader_t, semanticId);
  SIZE(IdSemantics, nvtxSemanticsScope_t);
  SIZE(IdSemantics, nvtxSemanticsTime_t);
  SIZE(CounterSemantics, nvtxSemanticsCounter_t);
  SAME(CounterSemantics, limit_type, nvtxSemanticsCounter_t, limitType);
  SAME(CounterSemantics, max, nvtxSemanticsCounter_t, max);
  SIZE(CorrelationSemantics, nvtxSemanticsCorrelation_t);
  SAME(CorrelationSemantics, role, nvtxSemanticsCorrelation_t, role);
  SIZE(SchemaEntry, nvtxPayloadSchemaEntry_t);
  SAME(SchemaEntry, detail, nvtxPayloadSchemaEntry_t, arrayOrUnionDetail);
  SAME(SchemaEntry, offset, nvtxPayloadSchemaEntry_t, offset);
  SAME(SchemaEntry, semantics, nvtxPayloadSchemaEntry_t, semantics);
  SIZE(SchemaAttributes, nvtxPayloadSchemaAttr_t);
  SAME(SchemaAttributes, entry_count, nvtxPayloadSchemaAttr_t, numEntries);
  SAME(SchemaAttributes, alignment, nvtxPayloadSchemaAttr_t, packAlign);
  SAME(SchemaAttributes, id, nvtxPayloadSchemaAttr_t, schemaId);
  SIZE(EnumEntry, nvtxPayloadEnum_t);
  SIZE(EnumAttributes, nvtxPayloadEnumAttr_t);
  SAME(EnumAttributes, size, nvtxPayloadEnumAttr_t, sizeOfEnum);
  SIZE(ScopeAttributes, nvtxScopeAttr_t);
  SAME(ScopeAttributes, parent, nvtxScopeAttr_t, parentScope);
  SIZE(TimeDomainAttributes, nvtxTimeDomainAttr_t);
  SAME(TimeDomainAttributes, resolution, nvtxTimeDomainAttr_t, timerResolution);
  SIZE(SyncPoint, nvtxSyncPoint_t);
  SIZE(EventBatch, nvtxEventBatch_t);
  SAME(EventBatch, flexible_offset, nvtxEventBatch_t, flexDataOffset);
  SIZE(CounterAttributes, nvtxCounterAttr_t);
  SAME(CounterAttributes, semantics, nvtxCounterAttr_t, semantics);
  SIZE(CounterBatch, nvtxCounterBatch_t);
  SAME(CounterBatch, timestamp_bytes, nvtxCounterBatch_t, timestampsSize);
  SIZE(VirtualRange, nvtxMemVirtualRangeDesc_t);
  SAME(VirtualRange, address, nvtxMemVirtualRangeDesc_t, ptr);
  SIZE(HeapDescription, nvtxMemHeapDesc_t);
  SAME(HeapDescription, usage, nvtxMemHeapDesc_t, usage);
  SAME(HeapDescription, range, nvtxMemHeapDesc_t, typeSpecificDesc);
  SAME(HeapDescription, message, nvtxMemHeapDesc_t, message);
  SIZE(RegionsRegisterBatch, nvtxMemRegionsRegisterBatch_t);
  SAME(RegionsRegisterBatch, elements, nvtxMemRegionsRegisterBatch_t, regionDescElements);
  SAME(RegionsRegisterBatch, handles, nvtxMemRegionsRegisterBatch_t, regionHandleElementsOut);
  SIZE(RegionsResizeBatch, nvtxMemRegionsResizeBatch_t);
  SAME(RegionsResizeBatch, elements, nvtxMemRegionsResizeBatch_t, regionDescElements);
  SIZE(RegionsUnregisterBatch, nvtxMemRegionsUnregisterBatch_t);
  SAME(RegionsUnregisterBatch, reference, nvtxMemRegionsUnregisterBatch_t, refType);
  SAME(RegionsUnregisterBatch, elements, nvtxMemRegionsUnregisterBatch_t, refElements);
  SIZE(RegionName, nvtxMemRegionNameDesc_t);
  SAME(RegionName, region, nvtxMemRegionNameDesc_t, region);
  SAME(RegionName, category, nvtxMemRegionNameDesc_t, category);
  SIZE(RegionsNameBatch, nvtxMemRegionsNameBatch_t);
  SAME(RegionsNameBatch, elements, nvtxMemRegionsNameBatch_t, regionElements);
#undef SAME
#undef SIZE
  EXPECT_EQ(int{kVirtualAddress}, NVTX_MEM_TYPE_VIRTUAL_ADDRESS);
  EXPECT_EQ(int{kByPointer}, NVTX_MEM_REGION_REF_TYPE_POINTER);
  EXPECT_EQ(int{kByHandle}, NVTX_MEM_REGION_REF_TYPE_HANDLE);
  EXPECT_EQ(int{kScopeSemantics}, NVTX_SEMANTIC_ID_SCOPE_V1);
  EXPECT_EQ(int{kTimeSemantics}, NVTX_SEMANTIC_ID_TIME_V1);
  EXPECT_EQ(int{kCorrelationSemantics}, NVTX_SEMANTIC_ID_CORRELATION_V1);
  EXPECT_EQ(int{kCounterSemantics}, NVTX_SEMANTIC_ID_COUNTERS_V1);
}

TEST(NvtxAbi, SyncObjects) {
  EXPECT_EQ(static_cast<int>(Module::kSync), int{NVTX_CB_MODULE_SYNC});
  EXPECT_EQ(int{kSyncUserCreate}, int{NVTX_CBID_SYNC_DomainSyncUserCreate});
  EXPECT_EQ(int{kSyncUserAcquireStart}, int{NVTX_CBID_SYNC_DomainSyncUserAcquireStart});
  EXPECT_EQ(int{kSyncUserReleasing}, int{NVTX_CBID_SYNC_DomainSyncUserReleasing});
  EXPECT_EQ(sizeof(SyncAttributes), sizeof(nvtxSyncUserAttributes_t));
  EXPECT_EQ(offsetof(SyncAttributes, message), offsetof(nvtxSyncUserAttributes_t, message));
}

TEST(NvtxAbi, PayloadTypes) {
  namespace payloads = nvtx_payloads;
#define SIZE(type, c_type) \
  EXPECT_EQ(payloads::size_of(NVTX_PAYLOAD_ENTRY_TYPE_##type), sizeof(c_type))
  SIZE(CHAR, char);
  SIZE(USHORT, unsigned short);
  SIZE(INT, int);
  SIZE(ULONG, unsigned long);
  SIZE(ULONGLONG, unsigned long long);
  SIZE(INT8, std::int8_t);
  SIZE(UINT16, std::uint16_t);
  SIZE(INT32, std::int32_t);
  SIZE(UINT64, std::uint64_t);
  SIZE(FLOAT, float);
  SIZE(DOUBLE, double);
  SIZE(LONGDOUBLE, long double);
  SIZE(SIZE, std::size_t);
  SIZE(ADDRESS, void*);
  SIZE(WCHAR, wchar_t);
  SIZE(CHAR8, char8_t);
  SIZE(CHAR16, char16_t);
  SIZE(CHAR32, char32_t);
#undef SIZE
#define TYPE(ours, theirs) \
  EXPECT_EQ(payloads::ours, std::uint64_t{NVTX_PAYLOAD_ENTRY_TYPE_##theirs})
  TYPE(kSize, SIZE);
  TYPE(kChar32, CHAR32);
  TYPE(kByte, BYTE);
  TYPE(kUint128, UINT128);
  TYPE(kFloat128, FLOAT128);
  TYPE(kBfloat16, BF16);
  TYPE(kTf32, TF32);
  TYPE(kRangeId, RANGE_ID);
  TYPE(kColorArgb, COLOR_ARGB);
  TYPE(kScopeId, SCOPE_ID);
  TYPE(kTid64, TID_UINT64);
  TYPE(kCstringUtf32, CSTRING_UTF32);
  TYPE(kRegisteredString, NVTX_REGISTERED_STRING_HANDLE);
  TYPE(kUnionSelector, UNION_SELECTOR);
#undef TYPE
#define FLAG(ours, theirs) EXPECT_EQ(payloads::ours, std::uint64_t{NVTX_PAYLOAD_##theirs})
  FLAG(kOffsetFromHere, ENTRY_FLAG_OFFSET_FROM_HERE);
  FLAG(kLengthPayload, ENTRY_FLAG_ARRAY_LENGTH_PAYLOAD_INDEX);
  FLAG(kHidden, ENTRY_FLAG_HIDE);
  FLAG(kEventMessage, ENTRY_FLAG_EVENT_MESSAGE);
  FLAG(kTimestamp, ENTRY_FLAG_TIMESTAMP);
  FLAG(kMarkTime, ENTRY_FLAG_MARK);
  FLAG(kCounterValue, ENTRY_FLAG_COUNTER);
  FLAG(kUnionWithSelector, SCHEMA_TYPE_UNION_WITH_INTERNAL_SELECTOR);
  FLAG(kMark, SCHEMA_FLAG_MARK);
  FLAG(kRangeStop, SCHEMA_FLAG_RANGE_END);
#undef FLAG
  EXPECT_EQ(payloads::kRaw, std::uint64_t{NVTX_TYPE_PAYLOAD_SCHEMA_RAW});
}

}  // namespace
}  // namespace prof::nvtx
