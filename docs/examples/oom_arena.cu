// Runs out of memory with 7 GiB free, since no piece is large enough: an arena, fragmented.
// memory: 12GiB
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <vector>

constexpr size_t gibibyte = size_t{1} << 30;

// A small arena: one block from cudaMalloc, handed out in pieces, first fit.
struct Piece {
    size_t size;
    bool used;
};

struct Arena {
    char* base = nullptr;
    std::vector<Piece> pieces;

    char* allocate(size_t size) {
        size_t offset = 0;
        for (auto piece = pieces.begin(); piece != pieces.end(); offset += piece++->size)
            if (!piece->used && piece->size >= size) {
                const size_t rest = piece->size - size;
                *piece = {size, true};
                if (rest > 0)
                    pieces.insert(piece + 1, {rest, false});
                return base + offset;
            }
        return nullptr;
    }
    void release(size_t index) { pieces[index].used = false; }
    size_t free_bytes() const {
        size_t sum = 0;
        for (const Piece& piece : pieces)
            sum += piece.used ? 0 : piece.size;
        return sum;
    }
    size_t largest_free() const {
        size_t largest = 0;
        for (const Piece& piece : pieces)
            largest = std::max(largest, piece.used ? 0 : piece.size);
        return largest;
    }
};

int main() {
    Arena arena;
    cudaMalloc(&arena.base, 10 * gibibyte);
    arena.pieces = {{10 * gibibyte, false}};
    for (size_t size : {1, 3, 1, 4, 1})
        arena.allocate(size * gibibyte);
    arena.release(1);  // the block of 3 GiB
    arena.release(3);  // the block of 4 GiB

    std::printf("free in the arena:   %zu GiB\n", arena.free_bytes() / gibibyte);
    std::printf("largest free piece:  %zu GiB\n", arena.largest_free() / gibibyte);
    std::printf("a request of 5 GiB:  %s\n", arena.allocate(5 * gibibyte) ? "served" : "refused");

    size_t free_bytes = 0, total_bytes = 0;
    cudaMemGetInfo(&free_bytes, &total_bytes);
    std::printf("cudaMemGetInfo says: %.1f GiB free, whatever is free in the arena\n",
                double(free_bytes) / gibibyte);
    cudaFree(arena.base);
}
