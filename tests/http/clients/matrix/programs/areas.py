"""Shared by the Python programs: each area is a function, and after a failure the next one is still tried."""

import json
import os
import time
import traceback
import urllib.request

URL = os.environ["URL"]
ECHO = os.environ["ECHO"]
KEYS = {name: os.environ[name] for name in ("MANAGEMENT", "BACKEND", "BROWSER")}
CARD = {"number": "4242424242424242", "expiration_month": 12, "expiration_year": 2030, "cvc": "123"}
CODE = "module.exports = function (req) { return { raw: req.args } }"
CHALLENGED_CARD = {"number": "4000020000000000", "expiration_month": 12, "expiration_year": 2035}
DEVICE_INFO = json.loads(os.environ["DEVICE_INFO"])
PAYMENT = json.loads(os.environ["PAYMENT"])
RENEWED_CARD = {"number": "4111111111111111", "expiration_month": 12, "expiration_year": 2023}
APPLE_PAYMENT = json.loads(os.environ["APPLE_PAYMENT_DATA"])
GOOGLE_PAYMENT = json.loads(os.environ["GOOGLE_PAYMENT_DATA"])
WALLET_CARD = "4784000000380075"
EMAIL = "somebody@example.com"
HOOK = "https://hooks.coffer.test/in"

_areas = {}


def area(name):
    def keep(function):
        _areas[name] = function
        return function

    return keep


def same(given, wanted):
    if given != wanted:
        raise AssertionError(f"{given!r} is not {wanted!r}")


def pass_challenge(url):
    """Completes a challenge as the cardholder would."""
    same(urllib.request.urlopen(url + "/answer", b"choice=pass").status, 200)


def update_cards(job, get_job, token):
    """Uploads the file of an account updater job with one token, and waits until the job is completed."""
    upload = urllib.request.Request(job.upload_url, f"token\n{token}\n".encode(), method="PUT")
    same(urllib.request.urlopen(upload).status, 200)
    while (shown := get_job(job.id)).status in ("pending", "processing"):
        time.sleep(0.05)
    same((shown.status, shown.requests), ("completed", 1))


def try_each():
    outcomes = {}
    for name, function in _areas.items():
        try:
            function()
            outcomes[name] = "ok"
        except Exception:
            outcomes[name] = traceback.format_exc(limit=-3)
    print(json.dumps(outcomes))
