// A program of its own for the tests that start one: `probe WHAT`.
#include <cuda_runtime_api.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int count, char** arguments) {
    const char* what = count > 1 ? arguments[1] : "";
    if (std::strcmp(what, "free-wild") == 0) {
        cudaFree(reinterpret_cast<void*>(0xdeadbeef000));
    } else if (std::strcmp(what, "leak") == 0) {
        void* pointer = nullptr;
        cudaMalloc(&pointer, 100);
        cudaMalloc(&pointer, 50);
        cudaFree(pointer);
        cudaFree(pointer);
    } else if (std::strcmp(what, "leak-in-a-loop") == 0) {
        void* pointer = nullptr;
        for (int round = 0; round < 3000; ++round) {
            cudaMalloc(&pointer, 100);
        }
        cudaMalloc(&pointer, 50);
    } else if (std::strcmp(what, "interior") == 0) {
        void* pointer = nullptr;
        cudaMalloc(&pointer, 100);
        cudaFree(static_cast<char*>(pointer) + 10);
        cudaFree(pointer);
    } else if (std::strcmp(what, "free-in-a-loop") == 0) {
        void* pointer = nullptr;
        cudaMalloc(&pointer, 100);
        for (int round = 0; round < 11; ++round) {
            cudaFree(pointer);
        }
    } else if (std::strcmp(what, "handles") == 0) {
        cudaStream_t stream = nullptr;
        cudaEvent_t event = nullptr;
        for (int round = 0; round < 3; ++round) {
            cudaStreamCreate(&stream);
        }
        cudaEventCreate(&event);
        cudaStreamDestroy(stream);
    } else if (std::strcmp(what, "wait") == 0) {
        void* pointer = nullptr;
        cudaMalloc(&pointer, 100);
        std::printf("waiting\n");
        std::fflush(stdout);
        for (;;) {
            pause();
        }
    } else if (std::strcmp(what, "handle-interrupt") == 0) {
        signal(SIGINT, [](int) { std::_Exit(7); });
        void* pointer = nullptr;
        cudaMalloc(&pointer, 100);
        raise(SIGINT);
    } else if (std::strcmp(what, "crash") == 0) {
        void* pointer = nullptr;
        cudaMalloc(&pointer, 100);
        *static_cast<volatile int*>(nullptr) = 1;
    } else if (std::strcmp(what, "abort") == 0) {
        void* pointer = nullptr;
        cudaMalloc(&pointer, 100);
        std::abort();
    } else if (std::strcmp(what, "fork-and-wait") == 0) {
        void* pointer = nullptr;
        cudaMalloc(&pointer, 100);
        if (fork() == 0) {
            raise(SIGTERM);
        }
        int status = 0;
        wait(&status);
        std::printf("the fork ended by signal %d\n", WTERMSIG(status));
    } else if (std::strcmp(what, "environment") == 0) {
        const char* channel = std::getenv("VRAM_CHANNEL");
        const char* ledger = std::getenv("VRAM_LEDGER_FD");
        std::printf("%s %s\n", channel != nullptr ? channel : "-",
                    ledger != nullptr ? ledger : "-");
    }
    return 0;
}
