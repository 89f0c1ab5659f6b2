"""Tries `basistheory`, the Python client before BasisTheoryClient."""

import json
import time

import basistheory
from areas import CARD, CODE, KEYS, URL, area, same, try_each
from basistheory.api.application_keys_api import ApplicationKeysApi
from basistheory.api.applications_api import ApplicationsApi
from basistheory.api.detokenize_api import DetokenizeApi
from basistheory.api.proxies_api import ProxiesApi
from basistheory.api.reactors_api import ReactorsApi
from basistheory.api.tokenize_api import TokenizeApi
from basistheory.api.tokens_api import TokensApi
from basistheory.model.create_application_request import CreateApplicationRequest
from basistheory.model.create_proxy_request import CreateProxyRequest
from basistheory.model.create_reactor_request import CreateReactorRequest
from basistheory.model.create_token_request import CreateTokenRequest
from basistheory.model.patch_proxy_request import PatchProxyRequest
from basistheory.model.patch_reactor_request import PatchReactorRequest
from basistheory.model.react_request import ReactRequest
from basistheory.model.react_request_async import ReactRequestAsync
from basistheory.model.update_application_request import UpdateApplicationRequest
from basistheory.model.update_proxy_request import UpdateProxyRequest
from basistheory.model.update_reactor_request import UpdateReactorRequest
from basistheory.model.update_token_request import UpdateTokenRequest
from basistheory.request_options import RequestOptions

# This client refuses every destination but https.
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
    # This client gives back nothing, and keeps the answer.
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
    # This client reads the answer as that of react, and has no member for the id.
    caller.react_async(made.id, react_request_async=ReactRequestAsync(args=args))
    later = json.loads(caller.api_client.last_response.data)["asyncReactorRequestId"]
    while status(caller.result_get_by_id, made.id, later) == 404:
        time.sleep(0.05)
    same(caller.result_get_by_id(made.id, later)["raw"], args)
    service.delete(made.id)
    same(status(service.get_by_id, made.id), 404)


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
    # This client keeps the key of a request for those that follow it.
    def create(key):
        given = CreateTokenRequest(type="token", data="once")
        options = RequestOptions(idempotency_key=key)
        return TokensApi(client(KEYS["BACKEND"])).create(create_token_request=given, request_options=options).id

    first = create("one")
    same((create("one") == first, create("two") == first), (True, False))


try_each()
