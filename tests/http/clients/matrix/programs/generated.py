"""Tries the client that openapi-python-client generates from the OpenAPI document, the package coffer_client."""

import datetime
import io
import time
import uuid

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
from coffer_client import AuthenticatedClient
from coffer_client.api.account_updater import account_updater_invoke
from coffer_client.api.account_updater_jobs import (
    account_updater_jobs_create,
    account_updater_jobs_get,
    account_updater_jobs_get_by_id,
)
from coffer_client.api.apple_pay import (
    apple_pay_create,
    apple_pay_create_domain,
    apple_pay_create_merchant,
    apple_pay_delete,
    apple_pay_get_by_id,
    apple_pay_get_merchant,
    apple_pay_remove_merchant,
)
from coffer_client.api.application_templates import application_templates_get, application_templates_get_by_id
from coffer_client.api.applications import (
    applications_create,
    applications_delete,
    applications_get,
    applications_get_by_id,
    applications_update,
)
from coffer_client.api.client_keys import (
    client_keys_create,
    client_keys_delete,
    client_keys_get,
    client_keys_get_by_id,
)
from coffer_client.api.documents import (
    documents_create,
    documents_delete,
    documents_get_by_id,
    documents_reveal,
)
from coffer_client.api.enrichments import enrichments_get_card_details
from coffer_client.api.google_pay import google_pay_create, google_pay_delete, google_pay_get_by_id
from coffer_client.api.invitations import (
    tenants_create_invitation,
    tenants_delete_invitation,
    tenants_get_invitation_by_id,
    tenants_get_invitations,
    tenants_resend_invitation,
)
from coffer_client.api.keys import (
    application_keys_create,
    application_keys_delete,
    application_keys_get,
    application_keys_get_by_id,
)
from coffer_client.api.members import tenants_delete_member, tenants_get_members, tenants_owner_get
from coffer_client.api.merchants import (
    merchants_create,
    merchants_delete,
    merchants_get,
    merchants_get_by_id,
    merchants_request_onboarding,
    merchants_update,
)
from coffer_client.api.proxies import (
    proxies_create,
    proxies_delete,
    proxies_get,
    proxies_get_by_id,
    proxies_invoke,
    proxies_patch,
    proxies_update,
)
from coffer_client.api.reactors import (
    reactors_create,
    reactors_delete,
    reactors_get,
    reactors_get_by_id,
    reactors_patch,
    reactors_react,
    reactors_react_async,
    reactors_result_get_by_id,
    reactors_update,
)
from coffer_client.api.roles import roles_get
from coffer_client.api.tenants import (
    tenants_get,
    tenants_get_tenant_usage_report,
    tenants_set_security_contact,
)
from coffer_client.api.three_ds import (
    three_ds_three_ds_authenticate_session,
    three_ds_three_ds_create_session,
    three_ds_three_ds_get_challenge_result,
    three_ds_three_ds_get_session_by_id,
)
from coffer_client.api.token_intents import (
    token_intents_create,
    token_intents_delete,
    token_intents_get_by_id,
)
from coffer_client.api.tokens import (
    detokenize_detokenize,
    tokenize_tokenize,
    tokens_create,
    tokens_delete,
    tokens_get_by_id,
    tokens_get_v2,
    tokens_update,
)
from coffer_client.api.webhooks import (
    webhooks_create,
    webhooks_delete,
    webhooks_get,
    webhooks_get_by_id,
    webhooks_list_event_types,
    webhooks_update,
)
from coffer_client.models import (
    AccountUpdaterInvokeBody,
    ApplePayCreateBody,
    ApplePayCreateDomainBody,
    ApplePayCreateMerchantBody,
    ApplicationsCreateBody,
    ApplicationsUpdateBody,
    ClientKeysCreateBody,
    DocumentsCreateBody,
    DocumentsCreateBodyRequest,
    GooglePayCreateBody,
    MerchantsCreateBody,
    MerchantsUpdateBody,
    ProxiesCreateBody,
    ProxiesPatchBody,
    ProxiesUpdateBody,
    ReactorsCreateBody,
    ReactorsPatchBody,
    ReactorsReactAsyncBody,
    ReactorsReactBody,
    ReactorsUpdateBody,
    TenantsCreateInvitationBody,
    TenantsSetSecurityContactBody,
    ThreeDsThreeDsAuthenticateSessionBody,
    ThreeDsThreeDsCreateSessionBody,
    TokenIntentsCreateBody,
    TokensCreateBody,
    TokensGetV2Metadata,
    TokensUpdateBody,
    WebhooksCreateBody,
    WebhooksUpdateBody,
)
from coffer_client.types import File


def client(key):
    return AuthenticatedClient(base_url=URL, token=key, prefix="", auth_header_name="SVC-API-KEY")


management, backend, browser = (client(KEYS[name]) for name in ("MANAGEMENT", "BACKEND", "BROWSER"))


def removed(by, remove, get, *ids):
    same(remove.sync_detailed(*ids, client=by).status_code, 204)
    same(get.sync(*ids, client=by).code, "not_found")


def new_token(by=backend, **members):
    return tokens_create.sync(client=by, body=TokensCreateBody.from_dict(members))


def new_application():
    given = {"name": "A", "type": "private", "permissions": ["token:create"]}
    return applications_create.sync(client=management, body=ApplicationsCreateBody.from_dict(given))


@area("tokens")
def tokens():
    made = new_token(type="card", data=CARD, metadata={"k": "v"})
    same(tokens_get_by_id.sync(made.id, client=backend).data, CARD)
    updated = tokens_update.sync(
        made.id, client=backend, body=TokensUpdateBody.from_dict({"metadata": {"a": "b"}})
    )
    same(updated.metadata.to_dict(), {"k": "v", "a": "b"})
    removed(backend, tokens_delete, tokens_get_by_id, made.id)


@area("tokenize")
def tokenize():
    given = {"name": "Ada", "card": {"type": "card", "data": CARD}}
    made = tokenize_tokenize.sync(client=backend, body=given)
    same((type(made["name"]), made["card"]["type"]), (str, "card"))


@area("detokenize")
def detokenize():
    made = new_token(type="token", data={"a": [1, "two"]})
    given = {"all": "{{ %s }}" % made.id, "one": "{{ %s | json: '$.a[1]' }}" % made.id}
    same(detokenize_detokenize.sync(client=backend, body=given), {"all": {"a": [1, "two"]}, "one": "two"})


@area("token intents")
def token_intents():
    given = TokenIntentsCreateBody.from_dict({"type": "card", "data": CARD})
    made = token_intents_create.sync(client=browser, body=given)
    same(made.card.last4, "4242")
    same(token_intents_get_by_id.sync(made.id, client=backend).id, made.id)
    removed(backend, token_intents_delete, token_intents_get_by_id, made.id)


@area("applications")
def applications():
    made = new_application()
    same(applications_get_by_id.sync(made.id, client=management).name, "A")
    given = ApplicationsUpdateBody.from_dict({"name": "B", "permissions": ["token:read"]})
    same(applications_update.sync(made.id, client=management, body=given).name, "B")
    same([each.name for each in applications_get.sync(client=management, id=[str(made.id)]).data], ["B"])
    removed(management, applications_delete, applications_get_by_id, made.id)


@area("application keys")
def application_keys():
    application = new_application()
    made = application_keys_create.sync(application.id, client=management)
    same(new_token(client(made.key), type="token", data="x").type_, "token")
    same(
        made.id in [each.id for each in application_keys_get.sync(application.id, client=management).data],
        True,
    )
    same(application_keys_get_by_id.sync(application.id, made.id, client=management).id, made.id)
    removed(management, application_keys_delete, application_keys_get_by_id, application.id, made.id)


@area("proxies")
def proxies():
    given = {"name": "pay", "destination_url": ECHO, "configuration": {"A": "b"}}
    made = proxies_create.sync(client=management, body=ProxiesCreateBody.from_dict(given))
    same((made.state, made.configuration.to_dict()), ("active", {"A": "b"}))
    same([each.id for each in proxies_get.sync(client=management, name="pa*").data], [made.id])
    paid = ProxiesUpdateBody.from_dict({**given, "name": "paid"})
    same(proxies_update.sync(made.id, client=management, body=paid).name, "paid")
    patch = ProxiesPatchBody.from_dict({"name": "patched", "configuration": {"A": None, "C": "d"}})
    same(proxies_patch.sync_detailed(made.id, client=management, body=patch).status_code, 204)
    got = proxies_get_by_id.sync(made.id, client=management)
    same((got.name, got.configuration.to_dict()), ("patched", {"C": "d"}))
    token = new_token(type="token", data="put in")
    answer = proxies_invoke.sync_detailed(
        client=backend, body={"value": "{{ %s }}" % token.id}, bt_proxy_key_header=made.key
    )
    same((answer.status_code, answer.content), (200, b'{"value":"put in"}'))
    removed(management, proxies_delete, proxies_get_by_id, made.id)


@area("reactors")
def reactors():
    given = {"name": "echo", "code": CODE, "configuration": {"A": "b"}}
    made = reactors_create.sync(client=management, body=ReactorsCreateBody.from_dict(given))
    same((made.state, made.configuration.to_dict()), ("active", {"A": "b"}))
    same([each.id for each in reactors_get.sync(client=management, name="ec*").data], [made.id])
    two = ReactorsUpdateBody.from_dict({"name": "two", "code": CODE})
    same(reactors_update.sync(made.id, client=management, body=two).name, "two")
    reactors_patch.sync_detailed(
        made.id, client=management, body=ReactorsPatchBody.from_dict({"name": "three"})
    )
    same(reactors_get_by_id.sync(made.id, client=management).name, "three")
    raw = {"key1": "value1"}
    same(reactors_react.sync(made.id, client=backend, body=ReactorsReactBody(args=raw)).raw, raw)
    later = reactors_react_async.sync(made.id, client=backend, body=ReactorsReactAsyncBody(args=raw))
    request = later.async_reactor_request_id
    while (
        answer := reactors_result_get_by_id.sync_detailed(made.id, request, client=backend)
    ).status_code == 404:
        time.sleep(0.05)
    same((answer.status_code, answer.parsed.raw), (200, raw))
    removed(management, reactors_delete, reactors_get_by_id, made.id)


@area("webhooks")
def webhooks():
    given = {"name": "Hook", "url": HOOK, "events": ["token.created"], "notify_email": "dev@example.com"}
    made = webhooks_create.sync(client=management, body=WebhooksCreateBody.from_dict(given))
    same((made.status, webhooks_get_by_id.sync(made.id, client=management)), ("enabled", made))
    same([each.id for each in webhooks_get.sync(client=management).data], [made.id])
    two = WebhooksUpdateBody.from_dict({**given, "name": "Two"})
    same(webhooks_update.sync(made.id, client=management, body=two).name, "Two")
    same("token.created" in webhooks_list_event_types.sync(client=management), True)
    removed(management, webhooks_delete, webhooks_get_by_id, made.id)


@area("documents")
def documents():
    file = File(payload=io.BytesIO(b"Hello World"), file_name="hello.txt", mime_type="text/plain")
    request = DocumentsCreateBodyRequest.from_dict({"metadata": {"a": "b"}})
    made = documents_create.sync(client=backend, body=DocumentsCreateBody(document=file, request=request))
    got = documents_get_by_id.sync(made.id, client=backend)
    same((got.content_type, got.metadata.to_dict()), ("text/plain", {"a": "b"}))
    same(documents_reveal.sync(made.id, client=backend).payload.read(), b"Hello World")
    removed(backend, documents_delete, documents_get_by_id, made.id)


@area("client keys")
def client_keys():
    until = datetime.datetime(2031, 1, 1, tzinfo=datetime.timezone.utc)
    given = ClientKeysCreateBody.from_dict({"expires_at": until.isoformat()})
    made = client_keys_create.sync(client=management, body=given)
    same(made.public_key_pem.startswith("-----BEGIN PUBLIC KEY-----"), True)
    same([each.key_id for each in client_keys_get.sync(client=management)], [made.key_id])
    same(client_keys_get_by_id.sync(made.key_id, client=management).key_id, made.key_id)
    removed(management, client_keys_delete, client_keys_get_by_id, made.key_id)


@area("members and invitations")
def members_and_invitations():
    owner = tenants_owner_get.sync(client=management)
    same((owner.role, tenants_get_members.sync(client=management).data), ("OWNER", [owner]))
    same(tenants_delete_member.sync(owner.id, client=management).status, 422)
    contact = TenantsSetSecurityContactBody(email=EMAIL)
    same(tenants_set_security_contact.sync(client=management, body=contact).email, EMAIL)
    given = TenantsCreateInvitationBody.from_dict({"email": EMAIL, "role": "READ_ONLY"})
    made = tenants_create_invitation.sync(client=management, body=given)
    same((made.status, tenants_get_invitation_by_id.sync(made.id, client=management)), ("PENDING", made))
    same([each.id for each in tenants_get_invitations.sync(client=management).data], [made.id])
    same(tenants_resend_invitation.sync(made.id, client=management).id, made.id)
    removed(management, tenants_delete_invitation, tenants_get_invitation_by_id, made.id)


@area("roles")
def roles():
    same([each.name for each in roles_get.sync(client=management)], ["OWNER", "ADMIN", "READ_ONLY"])


@area("application templates")
def application_templates():
    template = application_templates_get.sync(client=management)[0]
    same(application_templates_get_by_id.sync(template.id, client=management), template)


@area("usage report")
def usage_report():
    new_token(type="token", data="counted")
    report = tenants_get_tenant_usage_report.sync(client=management)
    same(report.token_report.metrics_by_type["token"].count > 0, True)


@area("card details")
def card_details():
    got = enrichments_get_card_details.sync(client=browser, bin_="378282")
    same((got.brand, [each.bin_min for each in got.bin_range]), ("American Express", ["378282"]))


@area("3D Secure")
def three_d_secure():
    token = new_token(type="card", data=CHALLENGED_CARD)
    given = {"token_id": token.id, "device": "browser", "device_info": DEVICE_INFO}
    made = three_ds_three_ds_create_session.sync(
        client=backend, body=ThreeDsThreeDsCreateSessionBody.from_dict(given)
    )
    payment = ThreeDsThreeDsAuthenticateSessionBody.from_dict(PAYMENT)
    asked = three_ds_three_ds_authenticate_session.sync(made.id, client=backend, body=payment)
    same((made.card_brand, asked.authentication_status), ("Visa", "challenge"))
    pass_challenge(asked.acs_challenge_url)
    result = three_ds_three_ds_get_challenge_result.sync(made.id, client=backend)
    same(result.authentication_status, "successful")
    same(three_ds_three_ds_get_session_by_id.sync(made.id, client=backend).authentication, result)


@area("account updater")
def account_updater():
    token = new_token(type="card", data=RENEWED_CARD).id
    given = AccountUpdaterInvokeBody(token_id=token)
    same(account_updater_invoke.sync(client=backend, body=given).result_code, "UPD_PAN")
    job = account_updater_jobs_create.sync(client=backend)
    update_cards(job, lambda id: account_updater_jobs_get_by_id.sync(id, client=backend), token)
    same([each.id for each in account_updater_jobs_get.sync(client=backend, size=1).data], [job.id])


@area("merchants")
def merchants():
    tenant = tenants_get.sync(client=management).id
    made = merchants_create.sync(tenant, client=management, body=MerchantsCreateBody(name="Shop"))
    given = MerchantsUpdateBody(name="Store")
    same(merchants_update.sync(tenant, made.id, client=management, body=given).name, "Store")
    onboarded = merchants_request_onboarding.sync(tenant, made.id, client=management)
    same(onboarded.services["network_token"].status, "active")
    same([each.name for each in merchants_get.sync(tenant, client=management).data], ["Store"])
    same(merchants_delete.sync(tenant, made.id, client=management).id, made.id)
    same(merchants_get_by_id.sync(tenant, made.id, client=management).code, "not_found")


@area("wallets")
def wallets():
    merchant = ApplePayCreateMerchantBody(merchant_identifier="merchant.com.example.shop")
    made = apple_pay_create_merchant.sync(client=management, body=merchant)
    same(apple_pay_get_merchant.sync(made.id, client=management), made)
    removed(management, apple_pay_remove_merchant, apple_pay_get_merchant, made.id)
    domain = ApplePayCreateDomainBody(domain="shop.example.com")
    registered = apple_pay_create_domain.sync(client=management, body=domain)
    same([each.status for each in registered.domains], ["verified"])
    apple = ApplePayCreateBody.from_dict({"apple_payment_data": APPLE_PAYMENT})
    paid = apple_pay_create.sync(client=backend, body=apple).apple_pay
    same(apple_pay_get_by_id.sync(paid.id, client=backend).data["number"], WALLET_CARD)
    same(apple_pay_delete.sync_detailed(paid.id, client=backend).status_code, 200)
    google = GooglePayCreateBody.from_dict({"google_payment_data": GOOGLE_PAYMENT})
    paid = google_pay_create.sync(client=backend, body=google).google_pay
    same(google_pay_get_by_id.sync(paid.id, client=backend).data["number"], WALLET_CARD)
    same(google_pay_delete.sync_detailed(paid.id, client=backend).status_code, 200)


@area("errors")
def errors():
    refused = new_token(type="card", data={"number": "4242424242424241"})
    same((refused.status, list(refused.errors.to_dict())), (400, ["data.number"]))
    same(tokens_get_by_id.sync("x", client=client("key_local_pvt_wrong")).status, 401)
    same(tokens_get_by_id.sync("x", client=browser).status, 403)
    same(tokens_get_by_id.sync("x", client=backend).status, 404)
    same(applications_get_by_id.sync(uuid.uuid4(), client=management).code, "not_found")


@area("paging")
def paging():
    made = [new_token(type="token", data=at, metadata={"paging": "yes"}).id for at in range(5)]
    # This generator does not support deepObject: it sends the members of an object under their own names.
    metadata = TokensGetV2Metadata.from_dict({"metadata.paging": "yes"})
    found, start = [], {}
    while True:
        page = tokens_get_v2.sync(client=backend, metadata=metadata, size=2, **start)
        found += [each.id for each in page.data]
        if not page.pagination.next_:
            break
        start = {"start": page.pagination.next_}
    same(sorted(found), sorted(made))
    first = applications_get.sync(client=management, page=1, size=1)
    same((len(first.data), first.pagination.total_pages), (1, first.pagination.total_items))


@area("idempotency")
def idempotency():
    def create(key):
        return new_token(backend.with_headers({"SVC-IDEMPOTENCY-KEY": key}), type="token", data="once").id

    first = create("one")
    same((create("one") == first, create("two") == first), (True, False))


try_each()
