#!/bin/sh
# Starts `coffer serve` in a container, with what is given, and a forwarder from the published port to its loopback.
set -eu
published=${COFFER_PUBLISHED_PORT:-4747}
# SECURITY: the forwarder needs no secret.
env -u COFFER_PASSPHRASE -u COFFER_PASSPHRASE_FILE socat TCP-LISTEN:4747,fork,reuseaddr TCP:127.0.0.1:4748 &
exec node --disable-warning=ExperimentalWarning --max-semi-space-size=8 electron/cli/run.mjs serve --port 4748 --no-console \
  --allow-host "localhost:$published" --allow-host "127.0.0.1:$published" "$@"
