"""An in-memory vault for the tests of a Python project. Copy this file; it needs pytest and nothing else.

In conftest.py:

    pytest_plugins = ["coffer_vault"]

A test that takes the fixture `coffer` has a vault as its seed made it:

    def test_a_card_becomes_a_token(coffer):
        shop = Shop(coffer.url, coffer.keys["private"])

The program is `coffer` on PATH, or the command line in COFFER_COMMAND, such as "npx --no-install coffer". Options of
`coffer serve`, such as a seed, come from the fixture `coffer_options`, which a conftest.py may replace.
Workers of pytest-xdist have a vault each.
"""

import contextlib
import json
import os
import shlex
import shutil
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import pytest

# Proxies in the environment do not apply to this machine.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Coffer:
    """A running vault: `url`, `tenant_id`, and `keys` with "management", "private" and "public"."""

    def __init__(self, *options):
        command = shlex.split(os.environ.get("COFFER_COMMAND", "coffer"))
        program = shutil.which(command[0])
        if program is None:
            raise RuntimeError(f"There is no {command[0]} on PATH. Name the program in COFFER_COMMAND.")
        serve = ["serve", "--ephemeral", "--port", "0", "--json", "--until-input-ends", *options]
        # Coffer stops when its standard input ends, even if this process is killed.
        self._process = subprocess.Popen(
            [program, *command[1:], *serve], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        line = self._process.stdout.readline()
        facts = json.loads(line) if line else {"error": {"message": "Coffer ended before it was ready."}}
        if "error" in facts:
            self.close()
            raise RuntimeError(facts["error"]["message"])
        self.url = facts["url"]
        self.tenant_id = facts["tenant_id"]
        self.keys = facts["keys"]

    def reset(self):
        """Restores the initial state: tokens, applications, log, clock, faults."""
        self._ask("POST", "reset")

    def now(self):
        """The time of the vault's clock, as ISO 8601."""
        return self._ask("GET", "clock")["now"]

    def advance(self, seconds):
        """Moves the clock forward. Data that expires by then is deleted."""
        self._ask("POST", "clock", {"advance": seconds})

    def set_now(self, moment):
        """Sets the clock to an aware datetime."""
        self._ask("POST", "clock", {"now": moment.isoformat()})

    @contextlib.contextmanager
    def fault(self, name, **rule):
        """Makes calls fail inside a `with` block: `coffer.fault("busy", operations=["tokens.create"], status=503)`."""
        self._ask("POST", "faults", {"name": name, **rule})
        try:
            yield
        finally:
            # A reset inside the block has already removed it.
            self._ask("DELETE", f"faults/{urllib.parse.quote(name, safe='')}", accept=404)

    def snapshot(self, name):
        """Saves the current state under a name; `restore(name)` restores it."""
        self._ask("PUT", f"snapshots/{urllib.parse.quote(name, safe='')}")

    def restore(self, name):
        self._ask("POST", f"snapshots/{urllib.parse.quote(name, safe='')}/restore")

    def close(self):
        """Stops the vault. Safe to call again."""
        self._process.stdin.close()
        self._process.wait(timeout=30)
        self._process.stdout.close()

    def _ask(self, method, path, body=None, accept=None):
        request = urllib.request.Request(
            f"{self.url}/_coffer/{path}",
            method=method,
            headers={"SVC-API-KEY": self.keys["management"], "Content-Type": "application/json"},
            data=None if body is None else json.dumps(body).encode(),
        )
        try:
            with _opener.open(request) as response:
                text = response.read()
        except urllib.error.HTTPError as error:
            with error:
                if error.code == accept:
                    return None
                raise RuntimeError(f"{method} /_coffer/{path}: {error.read().decode()}") from None
        return json.loads(text) if text else None


@pytest.fixture(scope="session")
def coffer_options():
    """The options of `coffer serve`. A conftest.py may replace this fixture."""
    return []


@pytest.fixture(scope="session")
def coffer_session(coffer_options):
    """One vault for all tests, which is never reset."""
    vault = Coffer(*coffer_options)
    try:
        yield vault
    finally:
        vault.close()


@pytest.fixture
def coffer(coffer_session):
    """The vault, reset to its seed."""
    coffer_session.reset()
    return coffer_session
