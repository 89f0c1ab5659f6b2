# Loaded by every Python program that `coffer run --as-hosted` starts, before its own code. COFFER_AS_HOSTED maps names,
# such as `api.basistheory.com:443`, to the port of Coffer's front on this machine. Clients that ignore HTTPS_PROXY, such
# as aiohttp, then connect to that port. They still check the certificate for the name.
import json
import os
import socket
import sys


def _redirect_lookups(ports):
    look_up = socket.getaddrinfo

    def getaddrinfo(host, port, *args, **kwargs):
        name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
        own = ports.get("%s:%s" % (name.lower().rstrip("."), port)) if isinstance(name, str) else None
        return look_up(host, port, *args, **kwargs) if own is None else look_up("127.0.0.1", own, *args, **kwargs)

    socket.getaddrinfo = getaddrinfo


def _run_hidden():
    """Runs the sitecustomize that this one hides, if there is one."""
    folder = os.path.dirname(os.path.abspath(__file__))
    own = [path for path in sys.path if os.path.abspath(path or ".") == folder]
    this = sys.modules.pop(__name__)
    # In place, because the hidden one may add paths.
    sys.path[:] = [path for path in sys.path if path not in own]
    try:
        import sitecustomize  # noqa: F401
    except ImportError:
        pass
    finally:
        sys.path[:0] = own
        sys.modules.setdefault(__name__, this)


try:
    _redirect_lookups(json.loads(os.environ.get("COFFER_AS_HOSTED") or "{}"))
finally:
    _run_hidden()
