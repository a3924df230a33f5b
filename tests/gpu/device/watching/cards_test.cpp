#include "gpu/device/watching/cards.h"

#include <gtest/gtest.h>

namespace gemmlab::gpu {
namespace {

TEST(Cards, all_are_listed_in_the_order_of_the_bus_with_what_each_does_now) {
  const std::vector<Card> found = cards(GEMMLAB_PLANTED_CARDS);
  ASSERT_EQ(found.size(), 4u);
  for (int i = 0; i < 4; ++i) {
    const Card& card = found[static_cast<std::size_t>(i)];
    EXPECT_EQ(card.index, i);
    EXPECT_EQ(card.uuid, "GPU-" + std::to_string(i) + "b2c3d4e-0000-1111-2222-333344445555");
    EXPECT_EQ(card.bus_id, "00000000:" + std::to_string(i + 1) + "0:00.0");
    EXPECT_EQ(card.name, "NVIDIA Planted");
    EXPECT_EQ(card.persistence_mode, i != 3);
    EXPECT_EQ(card.now.clock_mhz, i == 1 ? 900 : 1980);
    EXPECT_EQ(card.now.temperature_c, i == 1 ? 89 : 35);
    EXPECT_EQ(card.now.power_w, 120);
    EXPECT_EQ(card.now.throttle_reasons->size(), i == 1 ? 1u : 0u);
  }
  EXPECT_EQ(found[2].memory_used_bytes, std::int64_t{100} << 30);
  EXPECT_EQ(found[2].memory_bytes, std::int64_t{140} << 30);
  EXPECT_EQ(found[2].busy_percent, 93);
}

TEST(Cards, what_a_card_does_not_tell_stays_empty) {
  const std::vector<Card> found = cards(GEMMLAB_PLANTED_CARDS);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_FALSE(found[3].memory_bytes || found[3].memory_used_bytes || found[3].busy_percent);
}

TEST(Cards, no_library_or_one_that_cannot_list_shows_none) {
  EXPECT_TRUE(cards("libgemmlab-there-is-no-such-library.so.1").empty());
  EXPECT_TRUE(cards("libm.so.6").empty());
  EXPECT_TRUE(cards(GEMMLAB_PLANTED_NVML).empty()) << "it has one card, but no list";
}

}  // namespace
}  // namespace gemmlab::gpu
