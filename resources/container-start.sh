#!/bin/sh
# Starts `coffer serve` in a container, with the given arguments, and a forwarder from the published port to its
# loopback. With the argument `--as-hosted 4749`, the forwarder takes port 443 too.
set -eu
# The port that callers outside the container use.
[ -n "${COFFER_PUBLISHED_PORT:-}" ] || export COFFER_PUBLISHED_PORT=4747
# SECURITY: the forwarder needs no secret. If it ends, Coffer and the container stop too.
(
  unset COFFER_PASSPHRASE COFFER_PASSPHRASE_FILE
  node /usr/local/lib/coffer/container-forward.mjs "$@" || true
  kill -TERM $$
) &
# The health check, and commands inside the container, use the forwarder's own port in their Host header.
exec coffer serve --port 4748 --no-console --allow-host localhost:4747 --allow-host 127.0.0.1:4747 "$@"
