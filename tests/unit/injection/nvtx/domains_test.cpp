#include "injection/nvtx/domains.hpp"

#include <cstring>
#include <initializer_list>

#include "tests/unit/injection/core/session_fixture.hpp"

namespace prof::nvtx {
namespace {

class Domains : public core::SessionFixture {
 protected:
  static void filter(wire::NvtxFilter kind, std::initializer_list<const char*> names) {
    auto& state = core::g_process;
    state.config.nvtx_filter = kind;
    state.config.nvtx_domain_bytes = 0;
    for (const char* name : names) {
      std::strcpy(state.config.nvtx_domains + state.config.nvtx_domain_bytes, name);
      state.config.nvtx_domain_bytes += static_cast<std::uint32_t>(std::strlen(name) + 1);
    }
    apply_domain_filter();
  }
  ~Domains() override { filter(wire::NvtxFilter::kNone, {}); }
};

TEST_F(Domains, NullHandleIsTheDefaultDomain) {
  EXPECT_EQ(domain_of(nullptr).id, 0U);
  EXPECT_TRUE(domain_of(nullptr).recorded);
}

TEST_F(Domains, OneIdPerName) {
  const DomainHandle first = create_domain("test-one");
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(create_domain("test-one"), first);
  EXPECT_EQ(create_domain(L"test-one"), first);
  EXPECT_NE(create_domain("test-two"), first);
  EXPECT_GT(domain_of(first).id, 0U);
}

TEST_F(Domains, IncludeAndExclude) {
  filter(wire::NvtxFilter::kInclude, {"wanted", "default"});
  EXPECT_TRUE(default_domain().recorded);
  EXPECT_TRUE(domain_of(create_domain("wanted")).recorded);
  EXPECT_FALSE(domain_of(create_domain("unwanted")).recorded);
  EXPECT_FALSE(domain_of(create_domain("want")).recorded);
  filter(wire::NvtxFilter::kExclude, {"default", "unwanted"});
  EXPECT_FALSE(default_domain().recorded);
  EXPECT_FALSE(domain_of(create_domain("unwanted")).recorded);
  EXPECT_TRUE(domain_of(create_domain("wanted")).recorded);
}

}  // namespace
}  // namespace prof::nvtx
