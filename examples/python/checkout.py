"""The program under test: a shop that stores tokens instead of card numbers."""

import json
import urllib.error
import urllib.request


def checkout(url, key, card, order):
    """Stores a card and returns the id and the last four digits of its token. Retries if the vault is busy."""
    request = urllib.request.Request(
        f"{url}/tokens",
        headers={
            "SVC-API-KEY": key,
            # However often it is retried, an order is stored only once.
            "SVC-IDEMPOTENCY-KEY": order,
            "Content-Type": "application/json",
        },
        data=json.dumps({"type": "card", "data": card, "metadata": {"order": order}}).encode(),
    )
    for _ in range(3):
        try:
            with urllib.request.urlopen(request) as response:
                token = json.load(response)
                return token["id"], token["card"]["last4"]
        except urllib.error.HTTPError as error:
            with error:
                if error.code < 500:
                    raise ValueError(f"The card was refused with {error.code}.") from None
        except OSError:
            pass
    raise RuntimeError("The vault does not answer.")
