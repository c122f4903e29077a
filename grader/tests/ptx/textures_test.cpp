// Texture fetches and surface accesses: addressing, filtering, layers and faces.
#include <map>

#include "grader/tests/ptx/kernel_test.h"
#include "grader/virtual_gpu/ptx/texture.h"

namespace vram::virtual_gpu::ptx {
namespace {

struct Float2 {
    float x, y;
};
struct Float4 {
    float x, y, z, w;
};

class Textures : public KernelTestOfBothFlavours, public TextureFinder {
  protected:
    void SetUp() override {
        load_kernels("textures");
        set_texture_finder(this);
    }
    void TearDown() override { set_texture_finder(nullptr); }

    const TextureView* texture(std::uint64_t handle) const override {
        const auto found = views_.find(handle);
        return found == views_.end() ? nullptr : &found->second;
    }
    const TextureView* surface(std::uint64_t handle) const override { return texture(handle); }

    std::uint64_t add(const TextureView& view) {
        const std::uint64_t handle = 100 + views_.size();
        views_[handle] = view;
        return handle;
    }
    template <class T>
    TextureView view_of(const std::vector<T>& texels, std::uint64_t width, std::uint64_t height = 1,
                        std::uint64_t depth = 1) {
        TextureView view;
        view.address = memory.upload(texels);
        view.width = width;
        view.height = height;
        view.depth = depth;
        view.row_bytes = width * sizeof(T);
        view.slice_bytes = view.row_bytes * height;
        view.channel_bytes = sizeof(T);
        return view;
    }
    /// 3 x 2 texels with the values 0 to 5.
    TextureView six_texels() { return view_of(std::vector<float>{0, 1, 2, 3, 4, 5}, 3, 2); }

    template <class Position>
    std::vector<float> sample(const char* name, const TextureView& view,
                              const std::vector<Position>& positions) {
        const auto count = static_cast<std::uint32_t>(positions.size());
        const std::uint64_t out = memory.allocate(4 * count);
        const LaunchOutcome outcome =
            run(name, {1}, {count}, add(view), memory.upload(positions), out);
        // The positions only: textures are read by units that have counters of their own.
        EXPECT_EQ(outcome.counters.load_bytes, sizeof(Position) * count);
        return memory.download<float>(out, count);
    }

  private:
    std::map<std::uint64_t, TextureView> views_;
};
FOR_BOTH_FLAVOURS(Textures);

TEST_P(Textures, OfLinearMemoryAreZeroOutside) {
    const TextureView view = view_of(std::vector<float>{5, 6, 7}, 3);
    EXPECT_EQ(sample<int>("fetch_line", view, {0, 2, 1, 3, -1}),
              (std::vector<float>{5, 7, 6, 0, 0}));
}

TEST_P(Textures, GiveTheTexelThatAPositionLiesIn) {
    EXPECT_EQ(sample<Float2>("sample_plane", six_texels(),
                             {{0, 0}, {0.9f, 0.9f}, {1, 0}, {2.5f, 1.5f}, {0.5f, 1}}),
              (std::vector<float>{0, 0, 1, 5, 3}));
}

TEST_P(Textures, ClampPositionsOutside) {
    EXPECT_EQ(sample<Float2>("sample_plane", six_texels(), {{-3, 0.5f}, {9, 9}, {1.5f, -0.1f}}),
              (std::vector<float>{0, 5, 1}));
}

TEST_P(Textures, RepeatAndMirrorOnlyNormalisedPositions) {
    TextureView view = six_texels();
    view.address_modes = {AddressMode::wrap, AddressMode::mirror, AddressMode::clamp};
    EXPECT_EQ(sample<Float2>("sample_plane", view, {{3.5f, 0.5f}, {0.5f, 3.5f}}),
              (std::vector<float>{2, 3}));
    view.normalised_coordinates = true;
    const float x = 0.5f / 3, y = 0.25f;  // centre of texel 0
    EXPECT_EQ(sample<Float2>("sample_plane", view,
                             {{x, y}, {x + 1, y}, {x - 1, y}, {x, 1 + y}, {x, -y}, {x, 2 + y}}),
              (std::vector<float>{0, 0, 0, 3, 0, 0}));
}

TEST_P(Textures, HaveABorderColour) {
    TextureView view = six_texels();
    view.address_modes = {AddressMode::border, AddressMode::border, AddressMode::border};
    view.border = {42, 0, 0, 0};
    EXPECT_EQ(sample<Float2>("sample_plane", view, {{-0.1f, 0.5f}, {0.5f, 2}, {2.5f, 1.5f}}),
              (std::vector<float>{42, 42, 5}));
}

TEST_P(Textures, AreFilteredWithWeightsOfEightBits) {
    TextureView view = six_texels();
    view.linear_filter = true;
    EXPECT_EQ(sample<Float2>("sample_plane", view,
                             {{0.5f, 0.5f},                // the centre of a texel
                              {1, 0.5f},                   // half way to the next
                              {1, 1},                      // between four
                              {0.75f, 0.5f},               // a quarter
                              {0.5f + 1.0f / 1024, 0.5f},  // less than half of 1/256 counts nothing
                              {-7, 1.5f}}),
              (std::vector<float>{0, 0.5f, 2, 0.25f, 0, 3}));
}

TEST_P(Textures, AreFilteredWithWeightsThatAreRoundedTogether) {
    TextureView view = view_of(std::vector<float>{0, 256, 25600, 65536}, 2, 2);
    view.linear_filter = true;
    // Of 256 the upper sides weigh 24 and 87, the corner 8 and not 8.16.
    EXPECT_EQ(sample<Float2>("sample_plane", view, {{0.5f + 24 / 256.0f, 0.5f + 87 / 256.0f}}),
              (std::vector<float>{(24 - 8) * 1 + (87 - 8) * 100 + 8 * 256}));
}

TEST_P(Textures, OfIntegersAreFilteredAsWholeNumbers) {
    TextureView view = view_of(std::vector<std::uint8_t>{0, 1, 51}, 3);
    view.kind = ChannelKind::unsigned_integer;
    view.as_normalised_float = true;
    view.linear_filter = true;
    // A quarter of 257, and three quarters of it and a quarter of 51 x 257, of 65535.
    EXPECT_EQ(sample<Float2>("sample_plane", view, {{0.75f, 0}, {1.75f, 0}}),
              (std::vector<float>{64 / 65535.0f, 3470 / 65535.0f}));
}

TEST_P(Textures, TurnIntegersIntoFractions) {
    TextureView view = view_of(std::vector<std::uint8_t>{0, 51, 255}, 3);
    view.kind = ChannelKind::unsigned_integer;
    view.as_normalised_float = true;
    EXPECT_EQ(sample<Float2>("sample_plane", view, {{0, 0}, {1, 0}, {2, 0}}),
              (std::vector<float>{0, 0.2f, 1}));
    view = view_of(std::vector<std::int16_t>{-32768, -32767, 32767}, 3);
    view.kind = ChannelKind::signed_integer;
    view.as_normalised_float = true;
    EXPECT_EQ(sample<Float2>("sample_plane", view, {{0, 0}, {1, 0}, {2, 0}}),
              (std::vector<float>{-1, -1, 1}));
}

TEST_P(Textures, OfFourBytesGiveThemAll) {
    TextureView view = view_of(std::vector<std::uint32_t>{0x04030201, 0xfffefdfc}, 2);
    view.kind = ChannelKind::unsigned_integer;
    view.channels = 4;
    view.channel_bytes = 1;
    const std::uint64_t out = memory.allocate(8);
    const std::uint64_t positions = memory.upload(std::vector<Float2>{{1, 0}, {0, 0}});
    run("sample_bytes", {1}, {2}, add(view), positions, out);
    EXPECT_EQ(memory.download<std::uint32_t>(out, 2),
              (std::vector<std::uint32_t>{0xfffefdfc, 0x04030201}));
}

TEST_P(Textures, OfVolumesAreFilteredInThreeDirections) {
    TextureView view = view_of(std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7}, 2, 2, 2);
    EXPECT_EQ(sample<Float4>("sample_volume", view, {{1, 0, 1, 0}, {0, 1, 0, 0}}),
              (std::vector<float>{5, 2}));
    view.linear_filter = true;
    EXPECT_EQ(sample<Float4>("sample_volume", view, {{1, 1, 1, 0}, {0.5f, 0.5f, 1, 0}}),
              (std::vector<float>{3.5f, 2}));
}

TEST_P(Textures, OfLayersAreNotFilteredBetweenThem) {
    TextureView view = view_of(std::vector<float>{0, 1, 10, 11, 20, 21}, 2, 1, 3);
    view.linear_filter = true;
    EXPECT_EQ(sample<Float4>("sample_layer", view,
                             {{0.5f, 0.5f, 1, 0}, {1, 0.5f, 2, 0}, {0.5f, 0.5f, 7, 0}}),
              (std::vector<float>{10, 20.5f, 20}));
}

TEST_P(Textures, OfCubesShowTheFaceThatADirectionPointsTo) {
    std::vector<float> faces(6 * 4);
    for (int i = 0; i < 24; ++i) {
        faces[i] = static_cast<float>(i / 4 * 10 + i % 4);
    }
    const TextureView view = view_of(faces, 2, 2, 6);
    EXPECT_EQ(sample<Float4>("sample_cube", view,
                             {{1, 0.5f, 0.5f, 0},     // +x: right is -z, down is -y
                              {-2, 1, 1, 0},          // -x: right is +z
                              {0.1f, 1, -0.1f, 0},    // +y: right is +x, down is +z
                              {0.1f, -1, -0.1f, 0},   // -y: down is -z
                              {0.1f, 0.1f, 3, 0},     // +z
                              {0.1f, 0.1f, -3, 0}}),  // -z: right is -x
              (std::vector<float>{0, 11, 21, 33, 41, 50}));
}

TEST_P(Textures, ThatWereDestroyedAreReported) {
    const std::uint64_t positions = memory.upload(std::vector<Float2>{{0, 0}});
    EXPECT_EQ(launch("sample_plane", {1}, {1}, std::uint64_t{7}, positions, positions).error, 719);
    ASSERT_EQ(keeper.reports.size(), 1u);
}

TEST_P(Textures, ShowingFreedMemoryAreReported) {
    const TextureView view = six_texels();
    memory.free(view.address);
    const std::uint64_t positions = memory.upload(std::vector<Float2>{{0, 0}});
    EXPECT_EQ(launch("sample_plane", {1}, {1}, add(view), positions, positions).error, 700);
    ASSERT_EQ(keeper.reports.size(), 1u);
    EXPECT_EQ(keeper.reports[0].kind, ReportKind::kernel_use_after_free);
}

TEST_P(Textures, SurfacesAreReadAndWritten) {
    std::vector<std::uint64_t> pairs(12);
    for (std::uint64_t i = 0; i < pairs.size(); ++i) {
        pairs[i] = i << 32 | (100 + i);
    }
    TextureView from = view_of(pairs, 4, 3);
    from.channels = 2;
    from.channel_bytes = 4;
    TextureView to = from;
    to.address = memory.allocate(12 * 8);
    const LaunchOutcome outcome = run("mirror_surface", {1}, {4, 3}, add(from), add(to), 4);
    const auto mirrored = memory.download<std::uint64_t>(to.address, 12);
    for (int i = 0; i < 12; ++i) {
        EXPECT_EQ(mirrored[i], pairs[i / 4 * 4 + 3 - i % 4]);
    }
    ASSERT_EQ(outcome.written.size(), 1u);
    EXPECT_EQ(outcome.written[0].begin, to.address);
    EXPECT_EQ(outcome.written[0].end, to.address + 12 * 8);
}

TEST_P(Textures, SurfacesEndWhereTheirRowsDo) {
    const TextureView view = view_of(std::vector<int>{7, 8}, 2);
    const std::uint64_t surface = add(view), out = memory.allocate(4 * 3 * 4);
    run("read_beside_surface", {1}, {4}, surface, out, false);
    const auto values = memory.download<int>(out, 12);
    const std::vector<std::pair<int, int>> expected = {{0, 7}, {7, 7}, {8, 8}, {0, 8}};
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ((std::pair(values[3 * i], values[3 * i + 1])), expected[i]) << i;
    }
    EXPECT_EQ(launch("read_beside_surface", {1}, {4}, surface, out, true).error, 719);
    ASSERT_EQ(keeper.reports.size(), 1u);
    EXPECT_EQ(keeper.reports[0].thread[0], 0u);
}

}  // namespace
}  // namespace vram::virtual_gpu::ptx
