// Branches, loops, calls, barriers and waiting.
#include <cassert>
#include <cstdio>

extern "C" {

__global__ void collatz(int* steps, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    unsigned long long x = i + 1;
    int n = 0;
    while (x != 1) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        ++n;
    }
    steps[i] = n;
}

__global__ void choose(int* values, int n) {
    const int i = threadIdx.x;
    switch (values[i]) {
        case 0:
            values[i] = 5;
            break;
        case 1:
            values[i] = n;
            break;
        case 2:
            values[i] += 7;
            break;
        case 3:
            values[i] *= n;
            break;
        case 4:
            values[i] -= n;
            break;
        case 5:
            values[i] = n / 3;
            break;
        case 6:
            values[i] = n % 7 + values[i + 1 - 1];
            break;
        case 7:
            values[i] ^= n;
            break;
        default:
            values[i] = -1;
    }
}

__device__ __noinline__ int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__global__ void recursion(int* out) {
    out[threadIdx.x] = fibonacci(threadIdx.x);
}

__device__ __noinline__ int endless_recursion(int n) {
    return n == -1 ? 0 : endless_recursion(n + 1) * 3 + n;
}

__global__ void overflow_stack(int* out, int start) {
    out[0] = endless_recursion(start);
}

__device__ float plus_one(float x) {
    return x + 1;
}
__device__ float doubled(float x) {
    return x * 2;
}
typedef float (*Function)(float);
__device__ Function functions[2] = {plus_one, doubled};

__global__ void call_by_pointer(float* values) {
    values[threadIdx.x] = functions[threadIdx.x & 1](values[threadIdx.x]);
}

__global__ void lock_with_if(int* lock, int* count) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *(volatile int*)count += 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

__global__ void lock_with_while(int* lock, int* count) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    *(volatile int*)count = *(volatile int*)count + 1;
    __threadfence();
    atomicExch(lock, 0);
}

// Every block waits for the one after it.
__global__ void wait_for_next_block(int* flags) {
    if (blockIdx.x + 1 < gridDim.x) {
        while (((volatile int*)flags)[blockIdx.x + 1] == 0) {
        }
    }
    __threadfence();
    ((volatile int*)flags)[blockIdx.x] = 1;
}

// The first warp sleeps until the second has set the flag.
__global__ void sleep_until_set(int* flag) {
    if (threadIdx.x < 32) {
        while (*(volatile int*)flag == 0) {
            __nanosleep(100);
        }
    } else {
        *(volatile int*)flag = 1;
    }
}

__device__ __noinline__ int reverse_through(int* shared, int t) {
    shared[t] = t;
    __syncthreads();
    return shared[31 - t % 32];
}

__global__ void barrier_in_function(int* out) {
    __shared__ int shared[64];
    out[threadIdx.x] = reverse_through(shared, threadIdx.x);
}

// The first warp makes, the second takes; they meet at named barriers.
__global__ void produce_and_consume(int* out, int rounds) {
    __shared__ int box;
    int sum = 0;
    for (int round = 0; round < rounds; ++round) {
        if (threadIdx.x < 32) {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            if (threadIdx.x == 0) {
                box = round * round;
            }
            asm volatile("bar.arrive 2, 64;" ::: "memory");
        } else {
            asm volatile("bar.arrive 1, 64;" ::: "memory");
            asm volatile("bar.sync 2, 64;" ::: "memory");
            sum += *(volatile int*)&box;
        }
    }
    if (threadIdx.x == 32) {
        *out = sum;
    }
}

__global__ void count_at_barrier(int* out) {
    const int odd = __syncthreads_count(threadIdx.x & 1);
    out[threadIdx.x] = odd * 100 + (__syncthreads_and(threadIdx.x < 64) ? 10 : 0) +
                       (__syncthreads_or(threadIdx.x == 63) ? 1 : 0);
}

__global__ void leave_before_barrier(int* out) {
    __shared__ int last;
    if (threadIdx.x >= 40) {
        return;
    }
    if (threadIdx.x == 39) {
        last = 7;
    }
    __syncthreads();
    out[threadIdx.x] = last;
}

__global__ void two_barriers(int* out) {
    if (threadIdx.x < 32) {
        out[threadIdx.x] = 1;
        __syncthreads();
    } else {
        out[threadIdx.x] = 2;
        __syncthreads();
    }
}

__global__ void barrier_of_too_many() {
    asm volatile("bar.sync 1, 96;" ::: "memory");
}

__global__ void wait_for_ever(volatile int* flag) {
    while (*flag == 0) {
    }
}

__global__ void fail_assertion(int* values) {
    assert(values[threadIdx.x] == 0 && "all zero");
}

__global__ void trap_if(int* values) {
    if (values[0] == 1) {
        __trap();
    }
}

__global__ void print_all() {
    printf("b=%d t=%d f=%.2f s=%s l=%lld %c %%\n", blockIdx.x, threadIdx.x, threadIdx.x * 0.5,
           "text", 1234567890123LL, 'x');
}

__global__ void allocate(int** out) {
    int* p = (int*)malloc(16);
    p[0] = threadIdx.x;
    int* q = new int[4];
    q[1] = 2;
    p[1] = q[1];
    delete[] q;
    out[threadIdx.x] = p;
}

__global__ void free_twice(int* p) {
    free(p);
    free(p);
}

struct Shape {
    __device__ virtual int corners() { return 0; }
};
struct Square : Shape {
    __device__ int corners() override { return 4; }
};

__global__ void call_virtual(int* out, int square) {
    Shape shape;
    Square other;
    Shape* any = square ? &other : &shape;
    out[0] = any->corners();
}

__global__ void clocks(long long* out) {
    const long long start = clock64();
    while (clock64() - start < 100000) {
    }
    out[0] = clock64() - start;
}

}  // extern "C"
