"""Tries `basistheory`, the Python client before BasisTheoryClient."""

import json
import time

import basistheory
from areas import CARD, CHALLENGED_CARD, CODE, DEVICE_INFO, EMAIL, KEYS, PAYMENT, URL, area, pass_challenge, same, try_each
from basistheory.api.application_keys_api import ApplicationKeysApi
from basistheory.api.application_templates_api import ApplicationTemplatesApi
from basistheory.api.applications_api import ApplicationsApi
from basistheory.api.detokenize_api import DetokenizeApi
from basistheory.api.proxies_api import ProxiesApi
from basistheory.api.reactors_api import ReactorsApi
from basistheory.api.roles_api import RolesApi
from basistheory.api.tenants_api import TenantsApi
from basistheory.api.three_ds_api import ThreeDSApi
from basistheory.api.tokenize_api import TokenizeApi
from basistheory.api.tokens_api import TokensApi
from basistheory.model.authenticate_three_ds_session_request import AuthenticateThreeDSSessionRequest
from basistheory.model.create_application_request import CreateApplicationRequest
from basistheory.model.create_proxy_request import CreateProxyRequest
from basistheory.model.create_reactor_request import CreateReactorRequest
from basistheory.model.create_tenant_invitation_request import CreateTenantInvitationRequest
from basistheory.model.create_three_ds_session_request import CreateThreeDSSessionRequest
from basistheory.model.create_token_request import CreateTokenRequest
from basistheory.model.patch_proxy_request import PatchProxyRequest
from basistheory.model.patch_reactor_request import PatchReactorRequest
from basistheory.model.react_request import ReactRequest
from basistheory.model.react_request_async import ReactRequestAsync
from basistheory.model.three_ds_cardholder_info import ThreeDSCardholderInfo
from basistheory.model.three_ds_device_info import ThreeDSDeviceInfo
from basistheory.model.three_ds_requestor_info import ThreeDSRequestorInfo
from basistheory.model.update_application_request import UpdateApplicationRequest
from basistheory.model.update_proxy_request import UpdateProxyRequest
from basistheory.model.update_reactor_request import UpdateReactorRequest
from basistheory.model.update_token_request import UpdateTokenRequest
from basistheory.request_options import RequestOptions

# This client rejects every destination but https.
DESTINATION = "https://echo.coffer.test"


def client(key):
    return basistheory.ApiClient(basistheory.Configuration(host=URL, api_key=key))


management, backend, browser = (client(KEYS[name]) for name in ("MANAGEMENT", "BACKEND", "BROWSER"))


def status(call, *args, **members):
    try:
        call(*args, **members)
    except basistheory.ApiException as error:
        return error.status
    return None


def new_application():
    given = CreateApplicationRequest(name="A", type="private", permissions=["token:create"])
    return ApplicationsApi(management).create(given)


@area("tokens")
def tokens():
    service = TokensApi(backend)
    given = CreateTokenRequest(type="card", data=CARD, metadata={"k": "v"})
    made = service.create(create_token_request=given)
    same(service.get_by_id(made.id).data, CARD)
    updated = service.update(made.id, update_token_request=UpdateTokenRequest(metadata={"a": "b"}))
    same(updated.metadata, {"k": "v", "a": "b"})
    service.delete(made.id)
    same(status(service.get_by_id, made.id), 404)


@area("tokenize")
def tokenize():
    made = TokenizeApi(backend).tokenize(body={"name": "Ada", "card": {"type": "card", "data": CARD}})
    same((type(made["name"]), made["card"]["type"]), (str, "card"))


@area("detokenize")
def detokenize():
    made = TokensApi(backend).create(create_token_request=CreateTokenRequest(type="token", data="put in"))
    service = DetokenizeApi(backend)
    # This client returns nothing, and stores the response instead.
    service.detokenize(body={"all": "{{ %s }}" % made.id})
    same(json.loads(service.api_client.last_response.data), {"all": "put in"})


@area("applications")
def applications():
    service = ApplicationsApi(management)
    made = new_application()
    same((service.get_by_id(made.id).name, ApplicationsApi(client(made.key)).get_by_key().id), ("A", made.id))
    given = UpdateApplicationRequest(name="B", permissions=["token:read"])
    same(service.update(made.id, update_application_request=given).name, "B")
    same([each.name for each in service.get(id=[made.id]).data], ["B"])
    service.delete(made.id)
    same(status(service.get_by_id, made.id), 404)


@area("application keys")
def application_keys():
    service = ApplicationKeysApi(management)
    application = new_application()
    made = service.create(application.id)
    same(made.id in [each.id for each in service.get(application.id)], True)
    same(service.get_by_id(application.id, made.id).id, made.id)
    service.delete(application.id, made.id)
    same(status(service.get_by_id, application.id, made.id), 404)


@area("proxies")
def proxies():
    service = ProxiesApi(management)
    made = service.create(CreateProxyRequest(name="pay", destination_url=DESTINATION, configuration={"A": "b"}))
    same([each.id for each in service.get(name="pa*").data], [made.id])
    same(service.update(made.id, UpdateProxyRequest(name="paid", destination_url=DESTINATION)).name, "paid")
    service.patch(made.id, patch_proxy_request=PatchProxyRequest(name="patched"))
    same(service.get_by_id(made.id).name, "patched")
    service.delete(made.id)
    same(status(service.get_by_id, made.id), 404)


@area("reactors")
def reactors():
    service, caller = ReactorsApi(management), ReactorsApi(backend)
    made = service.create(CreateReactorRequest(name="echo", code=CODE))
    same([each.id for each in service.get(name="ec*").data], [made.id])
    same(service.update(made.id, UpdateReactorRequest(name="two", code=CODE)).name, "two")
    service.patch(made.id, patch_reactor_request=PatchReactorRequest(name="three"))
    same(service.get_by_id(made.id).name, "three")
    args = {"key1": "value1"}
    same(caller.react(made.id, ReactRequest(args=args)).raw, args)
    # This client parses the response like that of react, and has no member for the id.
    caller.react_async(made.id, react_request_async=ReactRequestAsync(args=args))
    later = json.loads(caller.api_client.last_response.data)["asyncReactorRequestId"]
    while status(caller.result_get_by_id, made.id, later) == 404:
        time.sleep(0.05)
    same(caller.result_get_by_id(made.id, later)["raw"], args)
    service.delete(made.id)
    same(status(service.get_by_id, made.id), 404)


@area("members and invitations")
def members_and_invitations():
    service = TenantsApi(management)
    owner = service.owner_get()
    same([(each.id, each.role) for each in service.get_members().data], [(owner.id, "OWNER")])
    same(status(service.delete_member, owner.id), 422)
    given = CreateTenantInvitationRequest(email=EMAIL, role="READ_ONLY")
    made = service.create_invitation(create_tenant_invitation_request=given)
    same([(each.id, str(each.status)) for each in service.get_invitations().data], [(made.id, "PENDING")])
    same(service.resend_invitation(made.id).id, made.id)
    service.delete_invitation(made.id)
    same(len(service.get_invitations().data), 0)


@area("roles")
def roles():
    same([each.name for each in RolesApi(management).get()], ["OWNER", "ADMIN", "READ_ONLY"])


@area("application templates")
def application_templates():
    service = ApplicationTemplatesApi(management)
    template = service.get()[0]
    same(service.get_by_id(template.id).name, template.name)


@area("usage report")
def usage_report():
    TokensApi(backend).create(create_token_request=CreateTokenRequest(type="token", data="counted"))
    report = TenantsApi(management).get_tenant_usage_report().token_report
    same(report.metrics_by_type["token"].count > 0, True)


@area("3D Secure")
def three_d_secure():
    token = TokensApi(backend).create(create_token_request=CreateTokenRequest(type="card", data=CHALLENGED_CARD))
    service = ThreeDSApi(backend)
    device = ThreeDSDeviceInfo(**DEVICE_INFO)
    given = CreateThreeDSSessionRequest(token_id=token.id, device="browser", device_info=device)
    made = service.three_ds_create_session(create_three_ds_session_request=given)
    # This client has no member for the merchant's url, which a payment needs.
    request = AuthenticateThreeDSSessionRequest(
        authentication_category="non-payment",
        authentication_type="add-card",
        requestor_info=ThreeDSRequestorInfo(name="Shop"),
        cardholder_info=ThreeDSCardholderInfo(**PAYMENT["cardholder_info"]),
    )
    asked = service.three_ds_authenticate_session(made.id, authenticate_three_ds_session_request=request)
    same(asked.authentication_status, "challenge")
    pass_challenge(asked.acs_challenge_url)
    same(service.three_ds_get_challenge_result(made.id).authentication_status, "successful")
    same(service.three_ds_get_session_by_id(made.id).id, made.id)


@area("errors")
def errors():
    wrong = CreateTokenRequest(type="card", data={"number": "4242424242424241"})
    try:
        TokensApi(backend).create(create_token_request=wrong)
        raise AssertionError("taken")
    except basistheory.ApiException as error:
        same((error.status, list(json.loads(error.body)["errors"])), (400, ["data.number"]))
    same(status(TokensApi(client("key_local_pvt_wrong")).get_by_id, "x"), 401)
    same(status(TokensApi(browser).get_by_id, "x"), 403)
    same(status(TokensApi(backend).get_by_id, "x"), 404)


@area("paging")
def paging():
    service = TokensApi(backend)
    metadata = {"paging": "yes"}
    given = [CreateTokenRequest(type="token", data="x", metadata=metadata) for _ in range(5)]
    made = [service.create(create_token_request=each).id for each in given]
    pages = [service.get(metadata=metadata, page=page, size=2).data for page in (1, 2, 3, 4)]
    same([len(page) for page in pages], [2, 2, 1, 0])
    same(sorted(each.id for page in pages for each in page), sorted(made))


@area("idempotency")
def idempotency():
    # This client reuses the key of a request for the following ones.
    def create(key):
        given = CreateTokenRequest(type="token", data="once")
        options = RequestOptions(idempotency_key=key)
        return TokensApi(client(KEYS["BACKEND"])).create(create_token_request=given, request_options=options).id

    first = create("one")
    same((create("one") == first, create("two") == first), (True, False))


try_each()
