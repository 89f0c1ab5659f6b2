import { expect, test } from 'vitest'
import { eventTypes } from '../../../shared/webhook-events.ts'
import { describeMissingPython, runPython } from './python.ts'
import { startClientServer } from './start.ts'

const reason = describeMissingPython()

/** Starts a listener with a management key and a key that calls reactors. */
async function startReactorServer(permissions: string[]) {
  const { url, vault } = await startClientServer()
  const { key: KEY } = await vault.application({ type: 'management', permissions } as never)
  const { key: REACTS } = await vault.application({ permissions: ['reactor:invoke'] })
  return { URL: url, KEY, REACTS }
}

const actions = ['create', 'read', 'update', 'delete']

const reacts = `
import json, os, time
from basis_theory import BasisTheory
from basis_theory.core.api_error import ApiError

client = lambda key: BasisTheory(api_key=os.environ[key], base_url=os.environ["URL"]).reactors
reactors, caller = client("KEY"), client("REACTS")
code = "module.exports = function (req) { return { raw: req.args } }"
made = reactors.create(name="echo", code=code, configuration={"SECRET": "shh"})
listed = [each.name for each in reactors.list(name="e*")]
updated = reactors.update(made.id, name="echo two", code=code)
reactors.patch(made.id, name="echo three", configuration={"A": "b"})
got = reactors.get(made.id)
args = {"args": {"key1": "value1", "key2": "value2"}}
now = caller.react(made.id, request=args)
later = caller.react_async(made.id, request=args)
while True:
    try:
        result = caller.results.get(made.id, later.async_reactor_request_id)
        break
    except ApiError as error:
        if error.status_code != 404:
            raise
        time.sleep(0.05)
# Code is compiled when it is called.
bad = reactors.create(name="bad", code="return )")
try:
    caller.react(bad.id, request=args)
    refused = None
except ApiError as error:
    refused = error.status_code
reactors.delete(made.id)
try:
    reactors.get(made.id)
    gone = None
except ApiError as error:
    gone = error.status_code
print(json.dumps({
    "made": [made.state, made.configuration], "listed": listed, "updated": [updated.name, updated.configuration],
    "got": [got.name, got.configuration], "now": now.raw, "result": result, "refused": refused, "gone": gone,
}))
`

test.skipIf(reason !== null)(
  'F-01 Python: reactors are managed, called, and called asynchronously',
  async () => {
    const env = await startReactorServer(actions.map((each) => `reactor:${each}`))
    const raw = { key1: 'value1', key2: 'value2' }
    expect(await runPython(reacts, env)).toEqual({
      made: ['active', { SECRET: 'shh' }],
      listed: ['echo'],
      updated: ['echo two', {}],
      got: ['echo three', { A: 'b' }],
      now: raw,
      result: { raw },
      refused: 422,
      gone: 404,
    })
  },
)

const reactsByOlder = `
import json, os, time, basistheory
from basistheory.api.reactors_api import ReactorsApi
from basistheory.model.create_reactor_request import CreateReactorRequest
from basistheory.model.patch_reactor_request import PatchReactorRequest
from basistheory.model.react_request import ReactRequest
from basistheory.model.react_request_async import ReactRequestAsync
from basistheory.model.update_reactor_request import UpdateReactorRequest

def client(key):
    configuration = basistheory.Configuration(host=os.environ["URL"], api_key=os.environ[key])
    return ReactorsApi(basistheory.ApiClient(configuration))

reactors, caller = client("KEY"), client("REACTS")
code = "module.exports = function (req) { return { raw: req.args } }"
made = reactors.create(CreateReactorRequest(name="echo", code=code))
updated = reactors.update(made.id, UpdateReactorRequest(name="echo two", code=code))
reactors.patch(made.id, patch_reactor_request=PatchReactorRequest(name="echo three"))
got = reactors.get_by_id(made.id)
args = {"key1": "value1"}
now = caller.react(made.id, ReactRequest(args=args))
# This client reads the answer as that of react, and has no member for the id.
caller.react_async(made.id, react_request_async=ReactRequestAsync(args=args))
later = json.loads(caller.api_client.last_response.data)["asyncReactorRequestId"]
while True:
    try:
        result = caller.result_get_by_id(made.id, later)
        break
    except basistheory.ApiException as error:
        if error.status != 404:
            raise
        time.sleep(0.05)
reactors.delete(made.id)
try:
    reactors.get_by_id(made.id)
    gone = None
except basistheory.ApiException as error:
    gone = error.status
print(json.dumps([made.name, updated.name, got.name, now.raw, result["raw"], gone]))
`

test.skipIf(reason !== null)(
  'F-01 Python, the older package: reactors are managed and called',
  { tags: 'thorough' },
  async () => {
    const env = await startReactorServer(actions.map((each) => `reactor:${each}`))
    const raw = { key1: 'value1' }
    expect(await runPython(reactsByOlder, env)).toEqual(['echo', 'echo two', 'echo three', raw, raw, 404])
  },
)

const received = `
import json, os
from basis_theory import BasisTheory
from basis_theory.core.api_error import ApiError

webhooks = BasisTheory(api_key=os.environ["KEY"], base_url=os.environ["URL"]).webhooks
url = "https://hooks.example.com/in"
made = webhooks.create(name="hook", url=url, events=["token.created"], notify_email="dev@example.com")
listed = [each.id == made.id for each in webhooks.list().data]
got = webhooks.get(made.id)
updated = webhooks.update(made.id, name="hook two", url=url, events=["token.deleted"])
types = webhooks.events.list()
webhooks.ping()
try:
    webhooks.create(name="bad", url=url, events=["no.event"])
    refused = None
except ApiError as error:
    refused = error.status_code
webhooks.delete(made.id)
try:
    webhooks.get(made.id)
    gone = None
except ApiError as error:
    gone = error.status_code
print(json.dumps({
    "made": [made.status, made.notify_email], "listed": listed, "same": got == made,
    "updated": [updated.name, updated.events], "types": types, "refused": refused, "gone": gone,
}))
`

test.skipIf(reason !== null)(
  'W-01 Python: webhooks are created, listed, replaced and deleted',
  { tags: 'thorough' },
  async () => {
    const env = await startReactorServer(actions.map((each) => `webhooks:${each}`))
    expect(await runPython(received, env)).toEqual({
      made: ['enabled', 'dev@example.com'],
      listed: [true],
      same: true,
      updated: ['hook two', ['token.deleted']],
      types: eventTypes,
      refused: 400,
      gone: 404,
    })
  },
)
