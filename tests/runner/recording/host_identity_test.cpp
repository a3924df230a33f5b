#include "runner/recording/host_identity.h"

#include <gmock/gmock.h>

#include <fstream>

namespace gemmlab::runner {
namespace {

HostTraits traits() {
  return {"0123456789abcdef0123456789abcdef", "Intel Xeon", 16, std::int64_t{128} << 30, {"GPU-1", "GPU-2"}};
}

std::string id_of(const HostTraits& of) {
  return host_identity(of).at("id");
}

TEST(HostIdentity, is_short_and_the_same_each_time) {
  EXPECT_EQ(id_of(traits()).size(), 12u);
  EXPECT_EQ(id_of(traits()), id_of(traits()));
  EXPECT_EQ(host_identity(traits()).at("machine").get<std::string>().size(), 12u);
}

TEST(HostIdentity, each_trait_tells_hosts_apart) {
  HostTraits machine = traits(), cpu = traits(), cores = traits(), memory = traits(), gpu = traits(),
             none = traits();
  machine.machine_id = "1123456789abcdef0123456789abcdef";
  cpu.cpu = "AMD EPYC";
  cores.cores_online = 10;
  memory.memory_bytes = std::int64_t{64} << 30;
  gpu.gpus = {"GPU-1", "GPU-3"};
  none.gpus = {};
  for (const HostTraits& other : {machine, cpu, cores, memory, gpu, none})
    EXPECT_NE(id_of(other), id_of(traits()));
}

TEST(HostIdentity, a_little_less_memory_or_another_order_of_cards_is_the_same_host) {
  HostTraits other = traits();
  other.memory_bytes -= 40'000'000;
  other.gpus = {"GPU-2", "GPU-1"};
  EXPECT_EQ(id_of(other), id_of(traits()));
}

TEST(HostIdentity, the_machine_id_itself_is_not_told) {
  EXPECT_THAT(host_identity(traits()).dump(), ::testing::Not(::testing::HasSubstr("0123456789ab")));
  HostTraits without = traits();
  without.machine_id = "";
  EXPECT_TRUE(host_identity(without).at("machine").is_null());
  EXPECT_EQ(id_of(without).size(), 12u);
}

TEST(HostIdentity, processors_are_counted_from_the_kernels_list) {
  EXPECT_EQ(count_of_list("0-15"), 16);
  EXPECT_EQ(count_of_list("0"), 1);
  EXPECT_EQ(count_of_list("0-3,8,10-11"), 7);
  EXPECT_EQ(count_of_list(""), 0);
  EXPECT_EQ(count_of_list("none"), 0);
}

TEST(HostIdentity, this_host_has_a_processor_and_memory) {
  const HostTraits here = host_traits(Json::array({{{"uuid", "GPU-7"}}}));
  EXPECT_GE(here.cores_online, 1);
  EXPECT_GT(here.memory_bytes, 0);
  EXPECT_EQ(here.gpus, std::vector<std::string>{"GPU-7"});
}

}  // namespace
}  // namespace gemmlab::runner
