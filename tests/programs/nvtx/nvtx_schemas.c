/* Payloads of every type of NVTX's payload extension: a mark for each case, named after it. Prints
   the JSON that each mark must have. Nothing here is computed by a profiler: the expected texts are
   written beside the values. */
#include <nvtx3/nvToolsExtPayload.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#if defined(__x86_64__)
typedef __float128 float128;
#else
typedef long double float128;
#endif

/* As clients write schemas: what they do not name is 0. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define FIELDS                                                                               \
  (NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |            \
   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE | \
   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS)
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static nvtxDomainHandle_t domain;
static int cases;

static uint64_t schema(const char* name, uint64_t type, uint64_t flags,
                       const nvtxPayloadSchemaEntry_t* entries, size_t count, size_t size) {
  nvtxPayloadSchemaAttr_t attributes = {0};
  attributes.fieldMask = FIELDS;
  attributes.name = name;
  attributes.type = type;
  attributes.flags = flags;
  attributes.entries = entries;
  attributes.numEntries = count;
  attributes.payloadStaticSize = size;
  return nvtxPayloadSchemaRegister(domain, &attributes);
}

/* A mark with attributes and payloads, and what its JSON must be. */
static void mark_many(const char* name, const nvtxPayloadData_t* data, int count,
                      const char* json) {
  nvtxEventAttributes_t a = {0};
  a.version = NVTX_VERSION;
  a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  a.messageType = NVTX_MESSAGE_TYPE_ASCII;
  a.message.ascii = name;
  a.payloadType = NVTX_PAYLOAD_TYPE_EXT;
  a.reserved0 = count;
  a.payload.ullValue = NVTX_POINTER_AS_PAYLOAD_ULLVALUE(data);
  nvtxDomainMarkEx(domain, &a);
  printf("%s\"%s\": %s", cases++ == 0 ? "" : ", ", name, json);
}

static void mark(const char* name, uint64_t id, const void* bytes, size_t size, const char* json) {
  const nvtxPayloadData_t data = {id, size, bytes};
  mark_many(name, &data, 1, json);
}

struct Numbers {
  char c;
  unsigned char uc;
  short s;
  unsigned short us;
  int i;
  unsigned u;
  long l;
  unsigned long ul;
  long long ll;
  unsigned long long ull;
  int8_t i8;
  uint8_t u8;
  int16_t i16;
  uint16_t u16;
  int32_t i32;
  uint32_t u32;
  int64_t i64;
  uint64_t u64;
  float f;
  double d;
  long double ld;
  size_t size;
  const void* address;
  wchar_t w;
};

static void numbers(void) {
  /* No offsets: the types' own alignment places them. */
  static const nvtxPayloadSchemaEntry_t entries[] = {
      {0, NVTX_PAYLOAD_ENTRY_TYPE_CHAR, "char"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_UCHAR, "uchar"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_SHORT, "short"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_USHORT, "ushort"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_INT, "int"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT, "uint"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_LONG, "long"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_ULONG, "ulong"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_LONGLONG, "longlong"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_ULONGLONG, "ulonglong"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_INT8, "int8"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT8, "uint8"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_INT16, "int16"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT16, "uint16"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "int32"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "uint32"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "int64"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "uint64"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_FLOAT, "float"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE, "double"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_LONGDOUBLE, "longdouble"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_SIZE, "size"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_ADDRESS, "address"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_WCHAR, "wchar"},
  };
  const struct Numbers value = {'x',
                                200,
                                -3,
                                65535,
                                -4,
                                4000000000u,
                                -5,
                                6,
                                -7,
                                18446744073709551615u,
                                -8,
                                250,
                                -9,
                                60000,
                                -10,
                                3000000000u,
                                INT64_MIN,
                                10000000000000000000u,
                                0.5f,
                                -1.25,
                                2.5L,
                                77,
                                (const void*)0xabc0,
                                0x20ac};
  mark("numbers",
       schema("Numbers", NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, 0, entries, COUNT(entries), sizeof value),
       &value, sizeof value,
       "{\"char\": \"x\", \"uchar\": 200, \"short\": -3, \"ushort\": 65535, \"int\": -4, \"uint\": "
       "4000000000, "
       "\"long\": -5, \"ulong\": 6, \"longlong\": -7, \"ulonglong\": 18446744073709551615, "
       "\"int8\": -8, "
       "\"uint8\": 250, \"int16\": -9, \"uint16\": 60000, \"int32\": -10, \"uint32\": 3000000000, "
       "\"int64\": -9223372036854775808, \"uint64\": 10000000000000000000, \"float\": 0.5, "
       "\"double\": -1.25, "
       "\"longdouble\": 2.5, \"size\": 77, \"address\": \"0xabc0\", \"wchar\": \"\\u20ac\"}");
  mark("too long", schema("Numbers", NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, 0, entries + 4, 1, 4),
       &value.i, 1 << 20, "{\"int\": -4}");
  mark("too short", schema("Numbers", NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, 0, entries + 4, 2, 8),
       &value.i, 4, "{\"int\": -4}");
}

static void rare_numbers(void) {
  static const nvtxPayloadSchemaEntry_t entries[] = {
      {0, NVTX_PAYLOAD_ENTRY_TYPE_INT128, "int128"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT128, "uint128"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_FLOAT128, "float128"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_FLOAT16, "float16"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_BF16, "bf16"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_TF32, "tf32"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_FLOAT32, "float32"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_FLOAT64, "float64"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_CHAR8, "char8"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_CHAR16, "char16"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_CHAR32, "char32"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_RANGE_ID, "range"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_PID_UINT32, "pid"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_TID_UINT64, "tid"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE, "registered"},
      {NVTX_PAYLOAD_ENTRY_FLAG_HIDE, NVTX_PAYLOAD_ENTRY_TYPE_INT, "hidden"}};
  struct {
    __int128 i;
    unsigned __int128 u;
    float128 q;
    uint16_t half, bf;
    float tf, f32;
    double f64;
    char c8;
    uint16_t c16;
    uint32_t c32;
    uint64_t range;
    uint32_t pid;
    uint64_t tid;
    nvtxStringHandle_t text;
    int hidden;
  } value = {-5,
             (unsigned __int128)1 << 64,
             1.5,
             0xc500,
             0x3fc0,
             0.25f,
             8.0f,
             3.0,
             'q',
             0xe9,
             0x1f600,
             9,
             10,
             11,
             nvtxDomainRegisterStringA(domain, "a registered text"),
             1};
  mark("rare numbers",
       schema(NULL, NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, 0, entries, COUNT(entries), sizeof value),
       &value, sizeof value,
       "{\"int128\": -5, \"uint128\": \"18446744073709551616\", \"float128\": 1.5, \"float16\": "
       "-5.0, \"bf16\": 1.5, "
       "\"tf32\": 0.25, \"float32\": 8.0, \"float64\": 3.0, \"char8\": \"q\", \"char16\": "
       "\"\\u00e9\", "
       "\"char32\": \"\\ud83d\\ude00\", \"range\": 9, \"pid\": 10, \"tid\": 11, \"registered\": "
       "\"a registered text\"}");
}

struct Point {
  int16_t x, y;
};
struct Shape {
  uint8_t kind;
  struct Point corner;
  struct Point points[2];
  uint32_t color_kind;
  uint32_t mask;
};

static uint64_t enum_of(const char* name, const nvtxPayloadEnum_t* values, size_t count,
                        size_t size) {
  nvtxPayloadEnumAttr_t attributes = {0};
  attributes.fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_NAME | NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES |
                         NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES |
                         NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE;
  attributes.name = name;
  attributes.entries = values;
  attributes.numEntries = count;
  attributes.sizeOfEnum = size;
  return nvtxPayloadEnumRegister(domain, &attributes);
}

static void nested(void) {
  static const nvtxPayloadEnum_t kinds[] = {{"circle", 0, 0}, {"square", 1, 0}};
  static const nvtxPayloadEnum_t bits[] = {{"read", 1, 1}, {"write", 2, 1}, {"run", 4, 1}};
  const uint64_t kind = enum_of("Kind", kinds, 2, 1);
  const uint64_t mask = enum_of("Mask", bits, 3, 4);
  const nvtxPayloadSchemaEntry_t point_entries[] = {{0, NVTX_PAYLOAD_ENTRY_TYPE_INT16, "x"},
                                                    {0, NVTX_PAYLOAD_ENTRY_TYPE_INT16, "y"}};
  const uint64_t point =
      schema("Point", NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, 0, point_entries, 2, sizeof(struct Point));
  const nvtxPayloadSchemaEntry_t entries[] = {
      {0, kind, "kind", "what it is", 0, offsetof(struct Shape, kind)},
      {0, point, "corner", NULL, 0, offsetof(struct Shape, corner)},
      {NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE, point, "points", NULL, 2,
       offsetof(struct Shape, points)},
      {0, mask, "unnamed value", NULL, 0, offsetof(struct Shape, color_kind)},
      {0, mask, "mask", NULL, 0, offsetof(struct Shape, mask)}};
  const uint64_t shape = schema("Shape", NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, 0, entries,
                                COUNT(entries), sizeof(struct Shape));
  const struct Shape value = {1, {-1, 2}, {{3, 4}, {5, 6}}, 8, 5};
  mark("nested", shape, &value, sizeof value,
       "{\"kind\": \"square\", \"corner\": {\"x\": -1, \"y\": 2}, \"points\": [{\"x\": 3, \"y\": "
       "4}, {\"x\": 5, \"y\": "
       "6}], \"unnamed value\": 8, \"mask\": \"read|run\"}");
  const uint8_t square = 1;
  mark("enum alone", kind, &square, 1, "{\"value\": \"square\"}");
}

static void unions(void) {
  const nvtxPayloadSchemaEntry_t members[] = {{0, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "i", NULL, 1},
                                              {0, NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE, "d", NULL, 3}};
  const uint64_t either = schema("Either", NVTX_PAYLOAD_SCHEMA_TYPE_UNION, 0, members, 2, 8);
  const nvtxPayloadSchemaEntry_t entries[] = {{0, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "which"},
                                              {0, either, "limit", NULL, 0, 8}};
  const uint64_t id = schema("Limit", NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, 0, entries, 2, 16);
  struct {
    int32_t which;
    union {
      int64_t i;
      double d;
    } limit;
  } value = {1, {.i = -12}};
  mark("union of an integer", id, &value, sizeof value, "{\"which\": 1, \"limit\": {\"i\": -12}}");
  value.which = 3;
  value.limit.d = 0.5;
  mark("union of a real", id, &value, sizeof value, "{\"which\": 3, \"limit\": {\"d\": 0.5}}");
}

struct Arrays {
  int32_t fixed[3];
  char name[8];
  uint8_t raw[3];
  float matrix[4];
};

static void arrays(void) {
  const nvtxPayloadSchemaEntry_t entries[] = {
      {NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "fixed", NULL, 3,
       0},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "name", NULL, 8, offsetof(struct Arrays, name)},
      {NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE, NVTX_PAYLOAD_ENTRY_TYPE_BYTE, "raw", NULL, 3,
       offsetof(struct Arrays, raw)},
      {NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE, NVTX_PAYLOAD_ENTRY_TYPE_FLOAT, "matrix", NULL, 4,
       offsetof(struct Arrays, matrix)}};
  const struct Arrays value = {{1, -2, 3}, "abc", {1, 0xff, 16}, {1, 2, 3, 4}};
  mark("fixed arrays",
       schema("Arrays", NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, 0, entries, COUNT(entries), sizeof value),
       &value, sizeof value,
       "{\"fixed\": [1, -2, 3], \"name\": \"abc\", \"raw\": \"01ff10\", \"matrix\": [1.0, 2.0, "
       "3.0, 4.0]}");

  const nvtxPayloadSchemaEntry_t dynamic[] = {
      {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "count"},
      {NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX, NVTX_PAYLOAD_ENTRY_TYPE_INT16, "items", NULL, 0},
      {NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED, NVTX_PAYLOAD_ENTRY_TYPE_UINT8, "until zero"},
      {NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF16,
       "text"},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "last"}};
  unsigned char bytes[64] = {0};
  const uint32_t count = 3;
  const int16_t items[] = {7, -8, 9};
  const uint16_t text[] = {'h', 0x20ac, 0};
  const int32_t last = -99;
  memcpy(bytes, &count, 4);
  memcpy(bytes + 4, items, 6);
  memcpy(bytes + 10, "\x05\x06", 3);
  memcpy(bytes + 14, text, 6);
  memcpy(bytes + 20, &last, 4);
  mark("dynamic arrays",
       schema("Dynamic", NVTX_PAYLOAD_SCHEMA_TYPE_DYNAMIC, 0, dynamic, COUNT(dynamic), 0), bytes,
       24,
       "{\"count\": 3, \"items\": [7, -8, 9], \"until zero\": [5, 6], \"text\": \"h\\u20ac\", "
       "\"last\": -99}");

  const nvtxPayloadSchemaEntry_t grid[] = {{NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE,
                                            NVTX_PAYLOAD_ENTRY_TYPE_UINT8, "dimensions", NULL, 2},
                                           {NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX,
                                            NVTX_PAYLOAD_ENTRY_TYPE_UINT8, "cells", NULL, 0}};
  const uint8_t cells[] = {2, 3, 1, 2, 3, 4, 5, 6};
  mark("two dimensions", schema("Grid", NVTX_PAYLOAD_SCHEMA_TYPE_DYNAMIC, 0, grid, 2, 0), cells,
       sizeof cells, "{\"dimensions\": [2, 3], \"cells\": [1, 2, 3, 4, 5, 6]}");
  const uint8_t liar[] = {255, 255, 1, 2};
  mark("a length that is too long", schema("Grid", NVTX_PAYLOAD_SCHEMA_TYPE_DYNAMIC, 0, grid, 2, 0),
       liar, sizeof liar, "{\"dimensions\": [255, 255], \"cells\": [1, 2]}");

  const nvtxPayloadSchemaEntry_t other[] = {{NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_PAYLOAD_INDEX,
                                             NVTX_PAYLOAD_ENTRY_TYPE_INT32, "numbers", NULL, 1}};
  const int32_t numbers[] = {4, 5, 6};
  const uint64_t length = 2;
  const nvtxPayloadData_t both[] = {
      {schema("Other", NVTX_PAYLOAD_SCHEMA_TYPE_DYNAMIC, 0, other, 1, 0), sizeof numbers, numbers},
      {NVTX_PAYLOAD_ENTRY_TYPE_UINT64, sizeof length, &length}};
  mark_many("length in another payload", both, 2, "{\"numbers\": [4, 5], \"value\": 2}");
}

struct Deep {
  const char* text;
  const struct Point* point;
  const int32_t* items;
  const void* plain;
  uint32_t count;
  const char* nothing;
  const char* bad;
};

static void deep(void) {
  const nvtxPayloadSchemaEntry_t point_entries[] = {{0, NVTX_PAYLOAD_ENTRY_TYPE_INT16, "x"},
                                                    {0, NVTX_PAYLOAD_ENTRY_TYPE_INT16, "y"}};
  const uint64_t point = schema("DeepPoint", NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, 0, point_entries, 2,
                                sizeof(struct Point));
  const nvtxPayloadSchemaEntry_t entries[] = {
      {NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "text", NULL, 0, 0},
      {NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY | NVTX_PAYLOAD_ENTRY_FLAG_POINTER, point, "point", NULL, 0,
       offsetof(struct Deep, point)},
      {NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY | NVTX_PAYLOAD_ENTRY_FLAG_POINTER |
           NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE,
       NVTX_PAYLOAD_ENTRY_TYPE_INT32, "items", NULL, 3, offsetof(struct Deep, items)},
      {NVTX_PAYLOAD_ENTRY_FLAG_POINTER, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "plain", NULL, 0,
       offsetof(struct Deep, plain)},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "count", NULL, 0, offsetof(struct Deep, count)},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "nothing", NULL, 0, offsetof(struct Deep, nothing)},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "bad", NULL, 0, offsetof(struct Deep, bad)}};
  char text[] = "changes later";
  const struct Point corner = {11, -12};
  int32_t items[] = {1, 2, 3};
  const struct Deep value = {
      text, &corner, items, (void*)0x1230, 3, NULL, (const char*)0xdead0000beef};
  mark("deep copies",
       schema("Deep", NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, NVTX_PAYLOAD_SCHEMA_FLAG_DEEP_COPY, entries,
              COUNT(entries), sizeof value),
       &value, sizeof value,
       "{\"text\": \"changes later\", \"point\": {\"x\": 11, \"y\": -12}, \"items\": [1, 2, 3], "
       "\"plain\": \"0x1230\", "
       "\"count\": 3, \"nothing\": null, \"bad\": null}");
  memset(text, 'z', sizeof text - 1);
  memset(items, 0, sizeof items);
}

static void references(void) {
  const nvtxPayloadSchemaEntry_t by_pointer[] = {
      {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "count"},
      {NVTX_PAYLOAD_ENTRY_FLAG_POINTER | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX,
       NVTX_PAYLOAD_ENTRY_TYPE_UINT16, "items", NULL, 0}};
  const uint16_t blob[] = {1, 2, 3, 4};
  const struct {
    uint32_t count;
    const uint16_t* items;
  } value = {2, blob + 1};
  const nvtxPayloadData_t data[] = {
      {schema("ByPointer", NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, 0, by_pointer, 2, 16), sizeof value,
       &value},
      {NVTX_TYPE_PAYLOAD_SCHEMA_REFERENCED, sizeof blob, blob}};
  mark_many("pointer into another payload", data, 2, "{\"count\": 2, \"items\": [2, 3]}");

  const nvtxPayloadSchemaEntry_t by_offset[] = {
      {NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_BASE | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED,
       NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "from base"},
      {NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_HERE | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE,
       NVTX_PAYLOAD_ENTRY_TYPE_UINT8, "from here", NULL, 2}};
  struct {
    uint64_t base, here;
    char text[8];
    uint8_t bytes[2];
  } offsets = {16, 8, "tail", {8, 9}};
  mark("offsets", schema("ByOffset", NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, 0, by_offset, 2, 16),
       &offsets, sizeof offsets, "{\"from base\": \"tail\", \"from here\": [8, 9]}");
}

static void predefined(void) {
  const int32_t numbers[] = {1, -2};
  mark("predefined number", NVTX_PAYLOAD_ENTRY_TYPE_INT32, numbers, 4, "{\"value\": 1}");
  mark("predefined numbers", NVTX_PAYLOAD_ENTRY_TYPE_INT32, numbers, 8, "{\"value\": [1, -2]}");
  mark("predefined text", NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF8, "inline", SIZE_MAX,
       "{\"value\": \"inline\"}");
  mark("bounded text", NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "abcdef", 3, "{\"value\": \"abc\"}");
  mark("raw", NVTX_TYPE_PAYLOAD_SCHEMA_RAW, "\x01\x02", 2, "{\"value\": \"0102\"}");
  mark("unknown schema", 16777299, "\x03", 1, "{\"value\": \"03\"}");
  mark("null", NVTX_PAYLOAD_ENTRY_TYPE_INT32, NULL, 4, "null");
  mark("nowhere", NVTX_PAYLOAD_ENTRY_TYPE_INT32, (const void*)0x123456789000, 4, "null");
  const nvtxPayloadData_t two[] = {{NVTX_PAYLOAD_ENTRY_TYPE_INT32, 4, numbers},
                                   {NVTX_PAYLOAD_ENTRY_TYPE_INT32, 4, numbers + 1}};
  mark_many("two payloads", two, 2, "{\"value\": 1, \"value (2)\": -2}");
}

int main(void) {
  domain = nvtxDomainCreateA("schemas");
  printf("{\"cases\": {");
  numbers();
  rare_numbers();
  nested();
  unions();
  arrays();
  deep();
  references();
  predefined();
  printf("}}\n");
  return 0;
}
