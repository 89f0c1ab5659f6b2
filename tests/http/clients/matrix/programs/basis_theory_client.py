"""Tries `basis_theory`, of the package BasisTheoryClient."""

import datetime
import time

from areas import (
    APPLE_PAYMENT,
    CARD,
    CHALLENGED_CARD,
    CODE,
    DEVICE_INFO,
    ECHO,
    EMAIL,
    GOOGLE_PAYMENT,
    HOOK,
    KEYS,
    PAYMENT,
    RENEWED_CARD,
    URL,
    WALLET_CARD,
    area,
    pass_challenge,
    same,
    try_each,
    update_cards,
)
from basis_theory import ApplePayMethodToken, BasisTheory, GooglePayMethodToken
from basis_theory.core.api_error import ApiError
from basis_theory.core.pydantic_utilities import parse_obj_as


def client(key):
    return BasisTheory(api_key=key, base_url=URL)


management, backend, browser = (client(KEYS[name]) for name in ("MANAGEMENT", "BACKEND", "BROWSER"))


def status(call, *args, **members):
    try:
        call(*args, **members)
    except ApiError as error:
        return error.status_code
    return None


@area("tokens")
def tokens():
    made = backend.tokens.create(type="card", data=CARD, metadata={"k": "v"})
    same(backend.tokens.get(made.id).data, CARD)
    same(backend.tokens.update(made.id, metadata={"a": "b"}).metadata, {"k": "v", "a": "b"})
    backend.tokens.delete(made.id)
    same(status(backend.tokens.get, made.id), 404)


@area("tokenize")
def tokenize():
    made = backend.tokens.tokenize(request={"name": "Ada", "card": {"type": "card", "data": CARD}})
    same((type(made["name"]), made["card"]["type"]), (str, "card"))


@area("detokenize")
def detokenize():
    made = backend.tokens.create(type="token", data={"a": [1, "two"]})
    given = {"all": "{{ %s }}" % made.id, "one": "{{ %s | json: '$.a[1]' }}" % made.id}
    same(backend.tokens.detokenize(request=given), {"all": {"a": [1, "two"]}, "one": "two"})


@area("token intents")
def token_intents():
    made = browser.token_intents.create(type="card", data=CARD)
    same(made.card.last4, "4242")
    same(backend.token_intents.get(made.id).id, made.id)
    backend.token_intents.delete(made.id)
    same(status(backend.token_intents.get, made.id), 404)


@area("applications")
def applications():
    service = management.applications
    made = service.create(name="A", type="private", permissions=["token:create"])
    same((service.get(made.id).name, client(made.key).applications.get_by_key().id), ("A", made.id))
    same(service.update(made.id, name="B", permissions=["token:read"]).name, "B")
    same([each.name for each in service.list(id=made.id)], ["B"])
    service.delete(made.id)
    same(status(service.get, made.id), 404)


@area("application keys")
def application_keys():
    application = management.applications.create(name="A", type="private", permissions=["token:create"])
    service = management.application_keys
    made = service.create(application.id)
    same(client(made.key).tokens.create(type="token", data="x").type, "token")
    same(made.id in [each.id for each in service.list(application.id)], True)
    same(service.get(application.id, made.id).id, made.id)
    service.delete(application.id, made.id)
    same(status(service.get, application.id, made.id), 404)


@area("proxies")
def proxies():
    service = management.proxies
    given = {"destination_url": ECHO, "configuration": {"A": "b"}}
    made = service.create(name="pay", **given)
    same((made.state, made.destination_url, made.configuration), ("active", ECHO, {"A": "b"}))
    same([each.id for each in service.list(name="pa*")], [made.id])
    same(service.update(made.id, name="paid", **given).name, "paid")
    service.patch(made.id, name="patched")
    same(service.get(made.id).name, "patched")
    service.delete(made.id)
    same(status(service.get, made.id), 404)


@area("reactors")
def reactors():
    service = management.reactors
    made = service.create(name="echo", code=CODE, configuration={"A": "b"})
    same((made.state, made.configuration), ("active", {"A": "b"}))
    same([each.id for each in service.list(name="ec*")], [made.id])
    same(service.update(made.id, name="two", code=CODE).name, "two")
    service.patch(made.id, name="three")
    same(service.get(made.id).name, "three")
    raw = {"key1": "value1"}
    same(backend.reactors.react(made.id, request={"args": raw}).raw, raw)
    later = backend.reactors.react_async(made.id, request={"args": raw})
    results = backend.reactors.results
    while status(results.get, made.id, later.async_reactor_request_id) == 404:
        time.sleep(0.05)
    same(results.get(made.id, later.async_reactor_request_id), {"raw": raw})
    service.delete(made.id)
    same(status(service.get, made.id), 404)


@area("webhooks")
def webhooks():
    service = management.webhooks
    made = service.create(name="Hook", url=HOOK, events=["token.created"], notify_email="dev@example.com")
    same((made.status, service.get(made.id)), ("enabled", made))
    same([each.id for each in service.list().data], [made.id])
    same(service.update(made.id, name="Two", url=HOOK, events=["token.deleted"]).name, "Two")
    same("token.created" in service.events.list(), True)
    service.delete(made.id)
    same(status(service.get, made.id), 404)


@area("documents")
def documents():
    service = backend.documents
    file = ("hello.txt", b"Hello World", "text/plain")
    made = service.upload(document=file, request={"metadata": {"a": "b"}})
    got = service.get(made.id)
    same((got.content_type, got.metadata), ("text/plain", {"a": "b"}))
    same(b"".join(service.data.get(made.id)), b"Hello World")
    service.delete(made.id)
    same(status(service.get, made.id), 404)


@area("client keys")
def client_keys():
    service = management.keys
    made = service.create(expires_at=datetime.datetime(2031, 1, 1, tzinfo=datetime.timezone.utc))
    same(made.public_key_pem.startswith("-----BEGIN PUBLIC KEY-----"), True)
    same([each.key_id for each in service.list()], [made.key_id])
    same(service.get(made.key_id).key_id, made.key_id)
    service.delete(made.key_id)
    same(status(service.get, made.key_id), 404)


@area("members and invitations")
def members_and_invitations():
    tenants = management.tenants
    owner = tenants.owner.get()
    same((owner.role, list(tenants.members.list())), ("OWNER", [owner]))
    same(tenants.members.update(owner.id, role="OWNER"), owner)
    same(status(tenants.members.delete, owner.id), 422)
    same(tenants.security_contact.update(email=EMAIL).email, EMAIL)
    service = tenants.invitations
    made = service.create(email=EMAIL, role="READ_ONLY")
    same((made.status, service.get(made.id)), ("PENDING", made))
    same([each.id for each in service.list(status="PENDING")], [made.id])
    same(service.resend(made.id).id, made.id)
    service.delete(made.id)
    same(status(service.get, made.id), 404)


@area("roles")
def roles():
    same([each.name for each in management.roles.list()], ["OWNER", "ADMIN", "READ_ONLY"])


@area("application templates")
def application_templates():
    service = management.application_templates
    template = service.list()[0]
    same(service.get(template.id), template)


@area("usage report")
def usage_report():
    backend.tokens.create(type="token", data="counted")
    same(management.tenants.self_.get_usage_reports().total_tokens > 0, True)


@area("card details")
def card_details():
    got = backend.enrichments.card_details(bin="378282")
    same((got.brand, [each.bin_min for each in got.bin_range]), ("American Express", ["378282"]))


@area("3D Secure")
def three_d_secure():
    token = backend.tokens.create(type="card", data=CHALLENGED_CARD)
    service = backend.threeds.sessions
    made = service.create(token_id=token.id, device="browser", device_info=DEVICE_INFO)
    asked = service.authenticate(made.id, **PAYMENT)
    same((made.card_brand, asked.authentication_status), ("Visa", "challenge"))
    pass_challenge(asked.acs_challenge_url)
    result = service.get_challenge_result(made.id)
    same((result.authentication_status, service.get(made.id).authentication), ("successful", result))


@area("account updater")
def account_updater():
    service = backend.account_updater
    token = backend.tokens.create(type="card", data=RENEWED_CARD).id
    same(service.real_time.invoke(token_id=token).result_code, "UPD_PAN")
    job = service.jobs.create()
    update_cards(job, service.jobs.get, token)
    same([each.id for each in service.jobs.list(size=1).data], [job.id])


@area("merchants")
def merchants():
    service = management.tenants.merchants
    tenant = management.tenants.self_.get().id
    made = service.create(tenant, name="Shop", details={})
    same(service.update(tenant, made.id, name="Store", details={}).name, "Store")
    same(service.request_onboarding(tenant, made.id).services.network_token.status, "active")
    same([each.name for each in service.list(tenant)], ["Store"])
    same(service.delete(tenant, made.id).id, made.id)
    same(status(service.get, tenant, made.id), 404)


@area("wallets")
def wallets():
    service = management.apple_pay
    made = service.merchant.create(merchant_identifier="merchant.com.example.shop")
    same(service.merchant.get(made.id), made)
    service.merchant.delete(made.id)
    same(status(service.merchant.get, made.id), 404)
    same([each.status for each in service.domain.register(domain="shop.example.com").domains], ["verified"])
    apple = parse_obj_as(ApplePayMethodToken, APPLE_PAYMENT)
    paid = backend.apple_pay.create(apple_payment_data=apple).apple_pay
    same(backend.apple_pay.get(paid.id).data["number"], WALLET_CARD)
    backend.apple_pay.delete(paid.id)
    google = parse_obj_as(GooglePayMethodToken, GOOGLE_PAYMENT)
    paid = backend.google_pay.create(google_payment_data=google).google_pay
    same(backend.google_pay.get(paid.id).data["number"], WALLET_CARD)
    backend.google_pay.delete(paid.id)


@area("errors")
def errors():
    try:
        backend.tokens.create(type="card", data={"number": "4242424242424241"})
        raise AssertionError("taken")
    except ApiError as error:
        same((type(error).__name__, error.status_code), ("BadRequestError", 400))
        same(list(error.body.errors), ["data.number"])
    same(status(client("key_local_pvt_wrong").tokens.get, "x"), 401)
    same(status(browser.tokens.get, "x"), 403)
    same(status(backend.tokens.get, "x"), 404)


@area("paging")
def paging():
    metadata = {"paging": "yes"}
    made = [backend.tokens.create(type="token", data=at, metadata=metadata).id for at in range(5)]
    same(sorted(each.id for each in backend.tokens.list_v2(metadata=metadata, size=2)), sorted(made))
    listed = [each.id for each in management.applications.list(size=1)]
    same((len(listed) > 2, len(set(listed))), (True, len(listed)))


@area("idempotency")
def idempotency():
    def create(key):
        return backend.tokens.create(type="token", data="once", idempotency_key=key).id

    first = create("one")
    same((create("one") == first, create("two") == first), (True, False))


try_each()
