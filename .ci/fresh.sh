# shellcheck shell=bash
# Sourced by what runs on a fresh machine: minimal Debians and Ubuntus (bookworm, noble, …) in chroots below
# build/fresh, with no compiler, no CUDA Toolkit and no driver. Needs root. Exit status 3 where no such machine can be
# made.

# enter_namespace ARGS…: starts the script again in a mount namespace of its own, so that nothing stays mounted whatever
# happens.
enter_namespace() {
  [ "$(id -u)" -eq 0 ] || { echo "$0: needs root" >&2; exit 2; }
  [ -n "${FRESH_MACHINE_NAMESPACE:-}" ] ||
    FRESH_MACHINE_NAMESPACE=1 exec unshare --mount --propagation private "$0" "$@"
}

# make_base RELEASE: build/fresh/RELEASE, kept for the next time.
make_base() {
  local codename=$1 base=$PWD/build/fresh/$1 mirror script components=main
  [ ! -e "$base/made" ] || return 0
  command -v debootstrap >/dev/null || { apt-get update -qq && apt-get install -y -qq debootstrap; } >/dev/null
  # This machine's own mirror, where it has one for the release.
  # shellcheck disable=SC2016 # apt expands it
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $codename" 2>/dev/null |
    head -n 1)
  rm -rf "$base"
  mkdir -p "$base"
  echo "==> Making a minimal $codename"
  # debootstrap has one script for all releases of Ubuntu, and may not know the newest. The mirror is in there; without
  # Ubuntu's keys debootstrap would look for it at Debian.
  script=/usr/share/debootstrap/scripts/$codename
  [ -e "$script" ] || script=${script%/*}/gutsy
  if [ "$(basename "$(readlink -f "$script")")" = gutsy ]; then
    components=main,universe
    # shellcheck disable=SC2016 # the inner shell is what expands
    mirror=${mirror:-$(ARCH=$(dpkg --print-architecture) SUITE=$codename bash -c '
      default_mirror() { echo "$1"; }
      source "$0"' "$script" 2>/dev/null | head -n 1)}
  fi
  debootstrap --variant=minbase --components="$components" "$codename" "$base" "$mirror" "$script" >"$base.log" 2>&1 ||
    { tail -n 5 "$base.log" >&2; echo "$0: no $codename could be made (see $base.log)" >&2; exit 3; }
  touch "$base/made"
}

# make_root RELEASE ROOT: a fresh machine at ROOT.
make_root() {
  make_base "$1"
  remove_root "$2"
  cp -a "$PWD/build/fresh/$1" "$2"
  # What this machine needs to reach its package registries.
  cp /etc/resolv.conf /etc/hosts "$2/etc/"
  [ ! -e /etc/pip.conf ] || cp /etc/pip.conf "$2/etc/"
  [ ! -e /etc/ssl/certs/ca-certificates.crt ] ||
    cp /etc/ssl/certs/ca-certificates.crt "$2/etc/registry-certificates.crt"
  # debootstrap made the devices. This machine's own stay out: what is removed in there must not be removed here.
  mount -t proc proc "$2/proc"
  if compgen -G "$2/usr/lib/*/libnvrtc*" >/dev/null || [ -e "$2/usr/local/cuda" ]; then
    echo "$0: $2 has a CUDA Toolkit, which hides what is asked here" >&2
    exit 1
  fi
}

remove_root() {
  [ ! -e "$1/proc/self" ] || umount "$1/proc"
  rm -rf --one-file-system "$1"
}

# add_checkout ROOT HOME: a clean checkout of HEAD at HOME/warpclock in there.
add_checkout() { git -c safe.directory='*' clone -q --no-hardlinks . "$1$2/warpclock"; }

# inside ROOT COMMAND: as root in there, with nothing of this machine's environment.
inside() {
  chroot "$1" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    CUDA_VISIBLE_DEVICES= PIP_CERT=/etc/registry-certificates.crt bash -c "$2" </dev/null
}

# inside_as_user ROOT USER COMMAND
inside_as_user() {
  chroot "$1" env -i HOME="/home/$2" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    CUDA_VISIBLE_DEVICES= PIP_CERT=/etc/registry-certificates.crt \
    setpriv --reuid="$2" --regid="$2" --init-groups bash -c "$3" </dev/null
}
