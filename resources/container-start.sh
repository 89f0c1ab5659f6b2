#!/bin/sh
# Starts `coffer serve` in a container, with what is given, and a forwarder from the published port to its loopback.
set -eu
# Callers outside know Coffer by this port.
[ -n "${COFFER_PUBLISHED_PORT:-}" ] || export COFFER_PUBLISHED_PORT=4747
# SECURITY: the forwarder needs no secret. Where it ends, so does Coffer, and the container with it.
(
  unset COFFER_PASSPHRASE COFFER_PASSPHRASE_FILE
  node /usr/local/lib/coffer/container-forward.mjs || true
  kill -TERM $$
) &
# The health check, and commands inside, call the forwarder by the name of its own port.
exec coffer serve --port 4748 --no-console --allow-host localhost:4747 --allow-host 127.0.0.1:4747 "$@"
