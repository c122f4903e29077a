#!/bin/sh
# Fuzzes the readers of fat binaries and PTX with libFuzzer, ASan and UBSan. Needs clang.
#
#   grader/tests/ptx/fuzz/fuzz.sh FOLDER [SECONDS]
#
# FOLDER keeps the objects, the growing corpus and whatever crashes; it may be used again.
set -eu
folder=$1
seconds=${2:-60}
root=$(cd "$(dirname "$0")/../../../.." && pwd)
mkdir -p "$folder/objects" "$folder/corpus"
flags="-std=c++20 -O1 -gline-tables-only -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined"
flags="$flags -I$root -Wno-unknown-pragmas -Wno-unknown-warning-option"
cd "$root"
newest_header=$(ls -t grader/virtual_gpu/*.h grader/virtual_gpu/ptx/*.h grader/virtual_gpu/memory/*.h \
    grader/virtual_gpu/ptx/operations/*.h grader/virtual_gpu/ptx/operations/*.inc | head -n 1)
objects=
for source in grader/virtual_gpu/ptx/*.cpp grader/virtual_gpu/ptx/operations/*.cpp \
              grader/tests/ptx/observer_for_tests.cpp grader/tests/ptx/fuzz/fuzz_readers.cpp; do
    object=$folder/objects/$(echo "$source" | tr / _).o
    if [ ! -e "$object" ] || [ "$source" -nt "$object" ] ||
        [ "$newest_header" -nt "$object" ]; then
        clang++ $flags -c "$source" -o "$object"
    fi
    objects="$objects $object"
done
clang++ -fsanitize=fuzzer,address,undefined $objects -lzstd -lpthread -o "$folder/fuzz_readers"
cd "$folder"
# A fat binary that holds one PTX image of eight bytes.
printf 'FP\355U\272\001\000\020\000H\000\000\000\000\000\000\000\001\000\001\001\100\000\000\000\010\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\010\000P\000\000\000\000\000\000\000\000\000\000\000\021\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\056version' > corpus/container
exec ./fuzz_readers -max_total_time="$seconds" -timeout=60 -rss_limit_mb=2048 -max_len=20000 \
    corpus "$root/grader/tests/ptx/fuzz/seeds"
