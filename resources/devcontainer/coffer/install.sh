#!/bin/sh
# Installs the command coffer in a dev container, as root, when its image is built. The options are in the environment.
set -eu

fail() {
  echo "coffer: $1" >&2
  exit 1
}

PACKAGE=${PACKAGE:-}
SHA256=${SHA256:-}
to=/usr/local/lib/coffer

case $PACKAGE in
  *.tar.gz | *.tgz) ;;
  '') fail 'Set the option package to the URL of a coffer-….tar.gz, or to the name of the file beside install.sh.' ;;
  *) fail "$PACKAGE is no .tar.gz or .tgz file." ;;
esac

mkdir -p "$to"
case $PACKAGE in
  https://*)
    file=$to/${PACKAGE##*/}
    if command -v curl > /dev/null; then
      curl --fail --silent --show-error --location --proto '=https' --output "$file" "$PACKAGE"
    else
      wget -q -O "$file" "$PACKAGE" || fail "$PACKAGE could not be downloaded. The image needs curl or wget."
    fi
    ;;
  *)
    file=$to/${PACKAGE##*/}
    [ -f "$(dirname "$0")/$PACKAGE" ] || fail "There is no file $PACKAGE beside install.sh."
    cp "$(dirname "$0")/$PACKAGE" "$file"
    ;;
esac

if [ -n "$SHA256" ]; then
  # BusyBox, as in Alpine, knows no long options.
  echo "$SHA256  $file" | sha256sum -c > /dev/null 2>&1 || fail "The SHA-256 of $PACKAGE is not the one in the option sha256."
fi

case $file in
  *.tar.gz)
    tar -xzf "$file" -C "$to" --strip-components=1
    program=$to/coffer
    ;;
  *)
    # The first versions of Node 22 and 23 cannot load the database driver.
    node -e 'process.exit(process.versions.napi >= 10 ? 0 : 1)' 2> /dev/null ||
      fail "This package needs Node 22.14, 23.7 or newer, and the image has $(node --version 2> /dev/null || echo none). Add the feature node, or use a .tar.gz, which includes Node."
    npm install --prefix "$to" --no-save --no-audit --no-fund "$file"
    program=$to/node_modules/.bin/coffer
    ;;
esac
rm "$file"
[ -x "$program" ] || fail "There is no program coffer in $PACKAGE."
ln -sf "$program" /usr/local/bin/coffer
coffer --version
