// The comparisons of setp and set.
#pragma once

#include "grader/virtual_gpu/ptx/instruction.h"

namespace vram::virtual_gpu::ptx {

template <Comparison comparison, class T>
constexpr bool compare(T a, T b) {
    switch (comparison) {
        case Comparison::eq:
            return a == b;
        case Comparison::ne:
            return a < b || a > b;
        case Comparison::lt:
            return a < b;
        case Comparison::le:
            return a <= b;
        case Comparison::gt:
            return a > b;
        case Comparison::ge:
            return a >= b;
        case Comparison::equ:
            return !(a < b || a > b);
        case Comparison::neu:
            return !(a == b);
        case Comparison::ltu:
            return !(a >= b);
        case Comparison::leu:
            return !(a > b);
        case Comparison::gtu:
            return !(a <= b);
        case Comparison::geu:
            return !(a < b);
        case Comparison::num:
            return a == a && b == b;
        case Comparison::nan:
            return a != a || b != b;
    }
    return false;
}

template <class T>
bool compare_by(Comparison comparison, T a, T b) {
    switch (comparison) {
        case Comparison::eq:
            return compare<Comparison::eq>(a, b);
        case Comparison::ne:
            return compare<Comparison::ne>(a, b);
        case Comparison::lt:
            return compare<Comparison::lt>(a, b);
        case Comparison::le:
            return compare<Comparison::le>(a, b);
        case Comparison::gt:
            return compare<Comparison::gt>(a, b);
        case Comparison::ge:
            return compare<Comparison::ge>(a, b);
        case Comparison::equ:
            return compare<Comparison::equ>(a, b);
        case Comparison::neu:
            return compare<Comparison::neu>(a, b);
        case Comparison::ltu:
            return compare<Comparison::ltu>(a, b);
        case Comparison::leu:
            return compare<Comparison::leu>(a, b);
        case Comparison::gtu:
            return compare<Comparison::gtu>(a, b);
        case Comparison::geu:
            return compare<Comparison::geu>(a, b);
        case Comparison::num:
            return compare<Comparison::num>(a, b);
        case Comparison::nan:
            return compare<Comparison::nan>(a, b);
    }
    return false;
}

}  // namespace vram::virtual_gpu::ptx
