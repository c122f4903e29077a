# shellcheck shell=bash
# Sets up what is missing. Sourced by ../../vram, which defines say, fail, say_if_disk_is_full,
# describe_surroundings, source_root, build and stamp. Sets meson, ninja and toolkit, and writes the
# stamp.
#
# Every step looks first whether its result is there, and puts it in place as its last act, so that
# an interrupted set-up goes on where it stopped.

oldest_meson=1.0
toolkit_release=13.0
toolkit_wheels=(
    nvidia-cuda-nvcc nvidia-cuda-runtime nvidia-cuda-crt nvidia-nvvm nvidia-cuda-cccl
    nvidia-cuda-profiler-api
)

set_up() {
    log=$build/set-up.log
    : 2>/dev/null >"$log" || fail "cannot write $log. Is the disk full?"
    private=$source_root
    [[ -w $source_root ]] || private=$build
    install_packages
    find_meson_and_ninja
    find_toolkit || install_toolkit
    configure_build
    write_stamp
}

# Runs a command quietly; says every ten seconds that it is still at it.
quietly() {
    local what=$1 ticker status=0
    shift
    (
        while sleep 10 >/dev/null 2>&1 </dev/null; do say "still $what"; done
    ) 9>&- &
    ticker=$!
    trap 'kill "$ticker" 2>/dev/null || true' EXIT
    "$@" >>"$log" 2>&1 </dev/null || status=$?
    kill "$ticker" 2>/dev/null || true
    wait "$ticker" 2>/dev/null || true
    trap - EXIT
    return "$status"
}

fail_with_log() {
    tail -n 15 "$log" >&2 || true
    say_if_disk_is_full "$(<"$log")"
    fail "$* The full output is in $log."
}

has_command() { command -v "$1" >/dev/null 2>&1; }

# ---- packages of the distribution -------------------------------------------------------------

needed_commands=(python3 g++ pkg-config nm flock)
needed_libraries=(gtest nlohmann_json libzstd)
declare -A package_of=(
    [python3]=python3 [g++]=g++ [pkg-config]=pkg-config [nm]=binutils [flock]=util-linux
    [gtest]=libgtest-dev [nlohmann_json]=nlohmann-json3-dev [libzstd]=libzstd-dev
)

# Fills missing with what only the distribution's packages can bring.
find_missing_packages() {
    local name
    missing=()
    for name in "${needed_commands[@]}"; do
        has_command "$name" || missing+=("${package_of[$name]}")
    done
    for name in "${needed_libraries[@]}"; do
        pkg-config --exists "$name" 2>/dev/null || missing+=("${package_of[$name]}")
    done
    if needs_private_python && ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
        missing+=(python3-venv)
    fi
}

can_install_packages() { [[ $EUID -eq 0 ]] && has_command apt-get; }

# Whether something has to come as a Python package: the toolkit, or Meson or Ninja where they are too
# old or where the distribution's cannot be installed.
needs_private_python() {
    find_toolkit || return 0
    if has_command meson; then
        meson_is_new_enough meson || return 0
    fi
    has_command meson && has_command ninja && return 1
    ! can_install_packages
}

install_packages() {
    find_missing_packages
    if can_install_packages; then
        # The distribution's Meson and Ninja put `meson test` on the PATH.
        has_command meson || missing+=(meson)
        has_command ninja || missing+=(ninja-build)
    fi
    ((${#missing[@]})) || return 0

    local command="apt-get install -y --no-install-recommends ${missing[*]}"
    local wait_for_others=(-o DPkg::Lock::Timeout=300)
    if ! has_command apt-get; then
        fail "these are missing (Debian's names): ${missing[*]}. Please install them and try again."
    fi
    if [[ $EUID -ne 0 ]]; then
        say "these packages are missing, and installing them takes root: ${missing[*]}"
        fail "run this, then try again:  sudo $command"
    fi
    say "missing: ${missing[*]}; installing these packages of the distribution"
    export DEBIAN_FRONTEND=noninteractive
    quietly "finishing an earlier installation" dpkg --configure -a || true
    quietly "fetching the list of packages" apt-get "${wait_for_others[@]}" update ||
        say "the list of packages could not be fetched; trying with the one at hand"
    # shellcheck disable=SC2086
    quietly "installing packages" $command "${wait_for_others[@]}" ||
        fail_with_log "the packages could not be installed. This needs a network: $command."
    hash -r
    find_missing_packages
    ((${#missing[@]} == 0)) || fail "still missing after the installation: ${missing[*]}"
}

# ---- Meson and Ninja --------------------------------------------------------------------------

meson_is_new_enough() {
    local version
    version=$("$1" --version 2>/dev/null) || return 1
    [[ $(printf '%s\n' "$oldest_meson" "$version" | sort -V | head -n 1) == "$oldest_meson" ]]
}

find_meson_and_ninja() {
    local programs=$private/.venv/bin
    if meson_is_new_enough meson; then
        meson=$(command -v meson)
    elif meson_is_new_enough "$programs/meson"; then
        meson=$programs/meson
    else
        say "no Meson >= $oldest_meson found; installing one into $private/.venv"
        install_privately meson
        meson=$programs/meson
    fi
    if ninja=$(command -v ninja); then
        return
    fi
    ninja=$programs/ninja
    if ! "$ninja" --version >/dev/null 2>&1; then
        say "no Ninja found; installing one into $private/.venv"
        install_privately ninja
    fi
}

install_privately() {
    make_private_python
    quietly "installing $*" "$private/.venv/bin/python" -m pip install --quiet --retries 1 \
        --force-reinstall "$@" ||
        fail_with_log "$* could not be installed with pip. This needs a network."
}

# A mark beside .venv says that the set-up was making it; only then is what is there thrown away.
make_private_python() {
    local folder=$private/.venv unfinished=$private/.venv.unfinished clear=()
    [[ -e $unfinished ]] && clear=(--clear)
    if [[ -x $folder/bin/python && -z ${clear[*]} ]]; then
        return
    fi
    : 2>/dev/null >"$unfinished" || fail "cannot write to $private"
    quietly "making a private Python environment" python3 -m venv "${clear[@]}" "$folder" ||
        fail_with_log "no private Python environment could be made in $folder."
    rm "$unfinished"
}

# ---- the CUDA Toolkit -------------------------------------------------------------------------

find_toolkit() {
    toolkit=$(VRAM_TOOLKIT="$private/.toolkit" python3 "$source_root/grader/setup/find_toolkit.py" \
        2>/dev/null)
}

install_toolkit() {
    local partial=$private/.toolkit.partial wheel
    local wheels=()
    for wheel in "${toolkit_wheels[@]}"; do wheels+=("$wheel==$toolkit_release.*"); done
    say "no CUDA Toolkit found (CUDA_HOME, PATH, usual places); fetching CUDA $toolkit_release's" \
        "compiler and runtime as Python wheels (about 100 MB) into $private/.toolkit"
    make_private_python
    rm -rf "$partial"
    quietly "fetching the CUDA Toolkit" "$private/.venv/bin/python" -m pip install --quiet \
        --retries 1 --no-deps --only-binary :all: --target "$partial" "${wheels[@]}" ||
        fail_with_log "the CUDA Toolkit could not be fetched. This needs a network; or install it" \
            "and set CUDA_HOME to its folder."
    assemble_toolkit "$partial/nvidia/cu13" "$private/.toolkit"
    rm -rf "$partial"
    find_toolkit || fail "the fetched CUDA Toolkit in $private/.toolkit is not complete"
}

# The wheels lack what the linker looks for: lib64, and libcudart.so without a version.
assemble_toolkit() {
    local from=$1 to=$2 library
    ln -sfn lib "$from/lib64"
    for library in "$from"/lib/lib*.so.*; do
        ln -sf "${library##*/}" "${library%%.so.*}.so"
    done
    chmod a+x "$from"/bin/* "$from"/nvvm/bin/*
    mkdir -p "$from/licences"
    cp -r "${from%/nvidia/cu13}"/*.dist-info "$from/licences/"
    mv -T "$from" "$to"
}

# ---- the build folder -------------------------------------------------------------------------

configure_build() {
    local mode=() variable
    [[ -e $build/build.ninja ]] && mode=(--reconfigure)
    for variable in CUDA_HOME CUDA_PATH; do
        [[ -n ${!variable:-} ]] || continue
        [[ ! ${!variable} -ef $toolkit ]] || break
        say "$variable is \"${!variable}\", which holds no CUDA Toolkit; another one is used"
    done
    say "configuring the build in $build (CUDA Toolkit: $toolkit)"
    export NINJA=$ninja
    quietly "configuring the build" "$meson" setup "${mode[@]}" -Dtoolkit="$toolkit" \
        "$build" "$source_root" ||
        fail_with_log "the build could not be configured."
}

write_stamp() {
    describe_surroundings  # once more: the set-up may have installed a compiler
    printf '%smeson=%s\nninja=%s\ntoolkit=%s\n' "$surroundings" "$meson" "$ninja" "$toolkit" \
        >"$stamp.new" && mv "$stamp.new" "$stamp" || fail "cannot write $stamp. Is the disk full?"
}
