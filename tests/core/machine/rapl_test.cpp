#include "core/machine/rapl.h"

#include <unistd.h>

#include "tests/scratch.h"

namespace gemmlab::test {
namespace {

/// A folder as /sys/class/powercap is, in which the test turns the counters.
class RaplCounters : public ScratchFolder {
 protected:
  void zone(const std::string& folder, const std::string& name, const std::string& microjoules) const {
    std::filesystem::create_directories(folder_ / folder);
    write(folder + "/name", name + "\n");
    write(folder + "/max_energy_range_uj", "262143328850\n");
    count(folder, microjoules);
  }
  void count(const std::string& folder, const std::string& microjoules) const {
    write(folder + "/energy_uj", microjoules + "\n");
  }
  std::string folder() const { return folder_.string(); }
};

TEST_F(RaplCounters, sums_the_packages_and_neither_their_parts_nor_the_board) {
  zone("intel-rapl:0", "package-0", "1000000");
  zone("intel-rapl:1", "package-1", "5000000");
  zone("intel-rapl:0:0", "core", "0");
  zone("intel-rapl:2", "psys", "0");
  zone("intel-rapl-mmio:0", "package-0", "0");
  Rapl rapl(folder());
  ASSERT_EQ(rapl.unavailable(), "");
  rapl.begin();
  for (const char* other : {"intel-rapl:0:0", "intel-rapl:2", "intel-rapl-mmio:0"}) count(other, "900000000");
  count("intel-rapl:0", "3500000");
  count("intel-rapl:1", "6000000");
  rapl.look();
  EXPECT_DOUBLE_EQ(rapl.joules(), 2.5 + 1);
}

TEST_F(RaplCounters, a_counter_that_starts_anew_goes_on_where_it_was) {
  zone("intel-rapl:0", "package-0", "262143000000");
  Rapl rapl(folder());
  rapl.begin();
  count("intel-rapl:0", "1671150");
  rapl.look();
  EXPECT_DOUBLE_EQ(rapl.joules(), 2) << "0.32885 J to the end of its range, 1.67115 J from its start";
  count("intel-rapl:0", "3671150");
  rapl.look();
  EXPECT_DOUBLE_EQ(rapl.joules(), 4);
  rapl.begin();
  rapl.look();
  EXPECT_EQ(rapl.joules(), 0) << "each stretch counts for itself";
}

TEST_F(RaplCounters, without_a_package_say_why) {
  const std::string none = "no /sys/class/powercap/intel-rapl here: ";
  EXPECT_EQ(Rapl(path("nothing")).unavailable().substr(0, none.size()), none);
  zone("intel-rapl:0", "psys", "0");
  EXPECT_EQ(Rapl(folder()).unavailable().substr(0, none.size()), none);
  Rapl rapl(folder());
  rapl.begin();
  rapl.look();
  EXPECT_EQ(rapl.joules(), 0);
}

TEST_F(RaplCounters, that_root_alone_may_read_say_so) {
  zone("intel-rapl:0", "package-0", "1");
  zone("intel-rapl:1", "package-1", "1");
  std::filesystem::remove(folder_ / "intel-rapl:1/energy_uj");  // root, who runs the tests, may read all
  EXPECT_EQ(Rapl(folder()).unavailable(), "energy_uj is readable by root only");
}

}  // namespace
}  // namespace gemmlab::test
