#include "device_pointer.h"

cudaError_t make_array(float** out, std::size_t count) {
    // TODO: check the arguments, allocate, hand the address out.
    return cudaErrorNotYetImplemented;
    // end of TODO
}

cudaError_t free_array(float** array) {
    // TODO: release the block and forget its address.
    return cudaErrorNotYetImplemented;
    // end of TODO
}

cudaError_t make_pair(float** image, std::size_t image_count, float** mask,
                      std::size_t mask_count) {
    // TODO: two blocks, or none.
    return cudaErrorNotYetImplemented;
    // end of TODO
}

cudaError_t free_pair(float** image, float** mask) {
    // TODO: release both, whatever happens to the first.
    return cudaErrorNotYetImplemented;
    // end of TODO
}

cudaError_t make_matrix(Matrix* out, int rows, int cols) {
    // TODO: from two ints to a number of bytes, then as before.
    return cudaErrorNotYetImplemented;
    // end of TODO
}

cudaError_t free_matrix(Matrix* matrix) {
    // TODO: as free_array, and the dimensions go too.
    return cudaErrorNotYetImplemented;
    // end of TODO
}

cudaError_t make_row_table(RowTable* out, int rows, int cols) {
    // TODO: a block for the data, a block for the row pointers, and the pointers in it.
    return cudaErrorNotYetImplemented;
    // end of TODO
}

cudaError_t free_row_table(RowTable* table) {
    // TODO: release whatever the table holds.
    return cudaErrorNotYetImplemented;
    // end of TODO
}
