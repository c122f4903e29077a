#!/usr/bin/env bash
# Proves that `vram` sets itself up on a fresh machine: makes minimal Debian or Ubuntu roots with
# debootstrap, clones the committed tree into each, and runs the first command that a learner would run.
#
# Usage (as root): prove_fresh_machine.sh FOLDER [CASE...]
#   FOLDER  a new folder for the roots, the clones and the logs (about 3 GB); it is kept
#   CASE    toolkit         python3, git, g++; a CUDA Toolkit on PATH: vram test, then vram grade
#           no-toolkit      the same without a toolkit: vram grade, then vram test
#           no-compiler     only python3 and git; a toolkit on PATH: vram grade, then vram test
#           user            not root, nothing installed: the one command; after it: vram grade
# Environment: TOOLKIT (default /usr/local/cuda), RELEASE (default bookworm; noble is Ubuntu 24.04),
# MIRROR (default: this machine's; needed for another distribution), SHARED_CCACHE (a folder:
# installs ccache in the roots and shares this folder with them, for a machine that has much else to
# do; the times are then worth nothing).
# The roots use this machine's network: its resolver, certificates, and PIP_ variables.
set -euo pipefail

source_root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
toolkit=${TOOLKIT:-/usr/local/cuda}
release=${RELEASE:-bookworm}
mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' "Release: $release" | head -n 1)}
[[ -n $mirror ]] || {
    echo "this machine has no package source of $release; name one in MIRROR" >&2
    exit 2
}

[[ $EUID -eq 0 && $# -ge 1 ]] || {
    sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" | head -n -1
    exit 2
}
folder=$(realpath -m -- "$1")
shift
cases=("$@")
((${#cases[@]})) || cases=(toolkit no-toolkit no-compiler user)
for case_name in "${cases[@]}"; do
    [[ " toolkit no-toolkit no-compiler user " == *" $case_name "* ]] || {
        echo "there is no case \"$case_name\"" >&2
        exit 2
    }
done
mkdir -p "$folder"

mounted=()
unmount_all() {
    local index
    for ((index = ${#mounted[@]} - 1; index >= 0; index--)); do umount -l "${mounted[index]}"; done
    mounted=()
}
trap unmount_all EXIT

mount_into() {
    mkdir -p "$2"
    mount --bind "$1" "$2"
    mounted+=("$2")
}

is_ubuntu() { [[ $mirror == *ubuntu* ]]; }

# What an installation of the distribution has by default.
components() { is_ubuntu && echo main,universe || echo main; }

# A debootstrap may be older than the release; all releases of Ubuntu share one script.
debootstrap_script() {
    local scripts=/usr/share/debootstrap/scripts
    if [[ ! -e $scripts/$release ]] && is_ubuntu; then echo "$scripts/gutsy"; else echo "$scripts/$release"; fi
}

make_base() {
    base=$folder/base
    [[ -e $base/complete ]] && return
    rm -rf "$base"
    echo "== debootstrap $release"
    debootstrap --variant=minbase --include=ca-certificates --components="$(components)" \
        "$release" "$base" "$mirror" "$(debootstrap_script)" >"$folder/debootstrap.log"
    cp /etc/ssl/certs/ca-certificates.crt "$base/etc/ssl/certs/"
    cp --dereference /etc/resolv.conf /etc/hosts "$base/etc/"
    cp /etc/pip.conf "$base/etc/" 2>/dev/null || true
    cp -r /etc/apt/apt.conf.d/. "$base/etc/apt/apt.conf.d/"
    in_root "$base" / apt-get update -qq
    in_root "$base" / apt-get install -qq -y --no-install-recommends git python3 >>"$folder/debootstrap.log" 2>&1
    touch "$base/complete"
}

# in_root ROOT FOLDER COMMAND...: with a bare environment, and the toolkit on PATH where there is one.
in_root() {
    local root=$1 where=$2 path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
    shift 2
    [[ -x $root$toolkit/bin/nvcc ]] && path=$toolkit/bin:$path
    local variables=() name
    for name in "${!PIP_@}" SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE; do
        [[ -v $name ]] && variables+=("$name=${!name}")
    done
    [[ -z ${SHARED_CCACHE:-} ]] ||
        variables+=(CCACHE_DIR=/ccache CCACHE_BASEDIR=/course CCACHE_NOHASHDIR=1)
    env -i PATH="$path" HOME=/tmp LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "${variables[@]}" \
        chroot ${as_user:+--userspec="$as_user"} "$root" /bin/sh -c 'cd "$0" && exec "$@"' "$where" "$@" </dev/null
}

# Runs a command in the clone, shows its time, exit status and last lines, and keeps its log.
run() {
    local name=$1 status=0 started=$SECONDS
    local log_file=$folder/$case_name-$name.log
    shift
    in_root "$root" /course "$@" >"$log_file" 2>&1 || status=$?
    echo "-- [$case_name] $*: exit $status after $((SECONDS - started)) s"
    grep -a '^vram:' "$log_file" || true
    tail -n 3 "$log_file"
    last_status=$status
}

expect() {
    [[ " $* " == *" $last_status "* ]] || {
        echo "FAILED: exit status $last_status, expected: $*" >&2
        exit 1
    }
}

prepare() {
    case_name=$1
    root=$folder/$case_name
    echo "== $case_name"
    rm -rf --one-file-system "$root"
    cp -a "$base" "$root"
    mount_into /proc "$root/proc"
    mount_into /dev "$root/dev"
    mount_into /dev/pts "$root/dev/pts"
    mount_into /dev/shm "$root/dev/shm"
    if [[ -n ${SHARED_CCACHE:-} ]]; then
        mount_into "$SHARED_CCACHE" "$root/ccache"
        in_root "$root" / apt-get install -qq -y --no-install-recommends ccache >/dev/null 2>&1
    fi
    mkdir "$root/course"
    git clone --quiet --no-hardlinks "$source_root" "$root/course"
    git -C "$root/course" remote remove origin
}

install_compiler() { in_root "$root" / apt-get install -qq -y --no-install-recommends g++ >/dev/null 2>&1; }

second_run_is_quick() {
    local started=${EPOCHREALTIME/./} took
    in_root "$root" /course ./vram list >/dev/null  # `setup` would build the tests as well
    took=$(((${EPOCHREALTIME/./} - started) / 1000))
    echo "-- [$case_name] second run, ./vram list: $took ms"
}

prove_toolkit() {
    mount_into "$toolkit" "$root$toolkit"
    install_compiler
    run test ./vram test
    expect 0
    second_run_is_quick
    run meson-test meson test -C build --suite selftest --no-rebuild
    expect 0
    run grade ./vram grade
    expect 1
    run grade-solutions ./vram grade --submission solutions
    expect 0
}

prove_no-toolkit() {
    install_compiler
    run grade ./vram grade
    expect 1
    second_run_is_quick
    run grade-solutions ./vram grade --submission solutions
    expect 0
    run test ./vram test
    expect 0
}

prove_no-compiler() {
    mount_into "$toolkit" "$root$toolkit"
    run grade ./vram grade
    expect 1
    second_run_is_quick
    run grade-solutions ./vram grade --submission solutions
    expect 0
    run test ./vram test
    expect 0
}

prove_user() {
    local as_user=1000:1000 command
    chown -R 1000:1000 "$root/course"
    run grade ./vram grade
    expect 3
    command=$(sed -n 's/^vram: .*sudo //p' "$folder/user-grade.log" | head -n 1)
    as_user='' in_root "$root" / sh -c "apt-get update -qq && $command" >/dev/null 2>&1
    run grade-again ./vram grade
    expect 1
    run grade-solutions ./vram grade --submission solutions
    expect 0
}

as_user=''
make_base
for case_name in "${cases[@]}"; do
    prepare "$case_name"
    "prove_$case_name"
    unmount_all
done
echo "== all proved: ${cases[*]}"
