import datetime
import urllib.error
import urllib.request

import pytest
from checkout import checkout

card = {"number": "4242424242424242", "expiration_month": 12, "expiration_year": 2035}


def pay(coffer, order):
    return checkout(coffer.url, coffer.keys["private"], card, order)


def status_of(coffer, token):
    request = urllib.request.Request(f"{coffer.url}/tokens/{token}", headers={"SVC-API-KEY": coffer.keys["private"]})
    try:
        with urllib.request.urlopen(request) as response:
            return response.status
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_a_card_becomes_a_token(coffer):
    token, last4 = pay(coffer, "order-1")
    assert last4 == "4242"
    assert status_of(coffer, token) == 200


def test_a_busy_vault_is_retried(coffer):
    with coffer.fault("busy", operations=["tokens.create"], status=503, count=2):
        assert pay(coffer, "order-2")[1] == "4242"


def test_a_vault_that_is_down_is_an_error(coffer):
    with coffer.fault("down", operations=["tokens.create"], status=503):
        with pytest.raises(RuntimeError, match="does not answer"):
            pay(coffer, "order-3")
    assert pay(coffer, "order-3")[1] == "4242"


def test_a_token_expires_without_waiting(coffer):
    assert status_of(coffer, "gift-card") == 200
    coffer.set_now(datetime.datetime(2040, 1, 1, tzinfo=datetime.timezone.utc) - datetime.timedelta(hours=1))
    assert status_of(coffer, "gift-card") == 200
    coffer.advance(2 * 60 * 60)
    assert status_of(coffer, "gift-card") == 404


def test_every_test_starts_with_the_seed(coffer):
    assert status_of(coffer, "gift-card") == 200


def test_a_snapshot_restores_its_state(coffer):
    coffer.snapshot("empty")
    token, _ = pay(coffer, "order-4")
    coffer.restore("empty")
    assert status_of(coffer, token) == 404
