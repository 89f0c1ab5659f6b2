import { expect, test } from 'vitest'
import { startDestination } from '../../outbound/destination.ts'
import { describeMissingPython, runPython } from './python.ts'
import { startClientServer } from './start.ts'

const reason = describeMissingPython()
if (reason !== null) console.log(`The Python client is not tried: ${reason}.`)

const manages = `
import json, os
from basis_theory import BasisTheory
from basis_theory.core.api_error import ApiError

proxies = BasisTheory(api_key=os.environ["KEY"], base_url=os.environ["URL"]).proxies
url = "https://echo.coffer.test/v1"
made = proxies.create(name="pay", destination_url=url, configuration={"SECRET": "shh"}, require_auth=True)
proxies.create(name="other", destination_url=url)
listed = sorted(each.name for each in proxies.list(size=1))
found = [each.name for each in proxies.list(name="p*")]
updated = proxies.update(made.id, name="paid", destination_url=url)
proxies.patch(made.id, name="patched", configuration={"A": "b"})
got = proxies.get(made.id)
proxies.delete(made.id)
try:
    proxies.get(made.id)
    gone = None
except ApiError as error:
    gone = error.status_code
print(json.dumps({
    "made": [made.state, made.key, made.configuration], "listed": listed, "found": found,
    "updated": [updated.name, updated.configuration], "got": [got.name, got.configuration], "gone": gone,
}))
`

test.skipIf(reason !== null)(
  'G-01 Python: proxies are created, listed, updated, patched and deleted',
  async () => {
    const { vault, url } = await startClientServer()
    const permissions = ['proxy:create', 'proxy:read', 'proxy:update', 'proxy:delete']
    const { key } = await vault.application({ type: 'management', permissions } as never)
    expect(await runPython(manages, { URL: url, KEY: key })).toEqual({
      made: ['active', expect.stringMatching(/^[0-9a-f]{12}$/), { SECRET: 'shh' }],
      listed: ['other', 'pay'],
      found: ['pay'],
      updated: ['paid', {}],
      got: ['patched', { A: 'b' }],
      gone: 404,
    })
  },
)

const managesByOlder = `
import json, os, basistheory
from basistheory.api.proxies_api import ProxiesApi
from basistheory.model.create_proxy_request import CreateProxyRequest
from basistheory.model.patch_proxy_request import PatchProxyRequest
from basistheory.model.update_proxy_request import UpdateProxyRequest

configuration = basistheory.Configuration(host=os.environ["URL"], api_key=os.environ["KEY"])
url = "https://echo.coffer.test/v1"
with basistheory.ApiClient(configuration) as client:
    proxies = ProxiesApi(client)
    made = proxies.create(CreateProxyRequest(name="pay", destination_url=url, configuration={"SECRET": "shh"}))
    listed = [each.name for each in proxies.get().data]
    updated = proxies.update(made.id, UpdateProxyRequest(name="paid", destination_url=url))
    proxies.patch(made.id, patch_proxy_request=PatchProxyRequest(name="patched"))
    got = proxies.get_by_id(made.id)
    proxies.delete(made.id)
    try:
        proxies.get_by_id(made.id)
        gone = None
    except basistheory.ApiException as error:
        gone = error.status
print(json.dumps([made.name, listed, updated.name, got.name, gone]))
`

test.skipIf(reason !== null)(
  'G-01 Python, the older package: proxies are created, listed, updated and deleted',
  {
    tags: 'thorough',
  },
  async () => {
    const { vault, url } = await startClientServer()
    const permissions = ['proxy:create', 'proxy:read', 'proxy:update', 'proxy:delete']
    const { key } = await vault.application({ type: 'management', permissions } as never)
    const response = await runPython(managesByOlder, { URL: url, KEY: key })
    expect(response).toEqual(['pay', ['pay'], 'paid', 'patched', 404])
  },
)

const calls = `
import json, os, requests

answer = requests.post(
    os.environ["URL"] + "/proxy/charges",
    headers={"BT-API-KEY": os.environ["KEY"], "BT-PROXY-URL": os.environ["DESTINATION"]},
    json={"value": "{{ " + os.environ["TOKEN"] + " }}", "name": "Ада"},
)
print(json.dumps([answer.status_code, answer.headers["BT-PROXY-DESTINATION-STATUS"], answer.json()]))
`

test.skipIf(reason !== null)(
  'G-04 Python’s requests sends a token through a proxy',
  { tags: 'thorough' },
  async () => {
    const { url, backend } = await startClientServer()
    const destination = await startDestination((request, response) => {
      response.setHeader('Content-Type', 'application/json')
      request.pipe(response)
    })
    const create = await fetch(`${url}/tokens`, {
      method: 'POST',
      headers: { 'BT-API-KEY': backend.key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ type: 'token', data: 'put in' }),
    })
    const { id } = (await create.json()) as { id: string }
    const env = { URL: url, KEY: backend.key, DESTINATION: destination.url, TOKEN: id }
    expect(await runPython(calls, env)).toEqual([200, '200', { value: 'put in', name: 'Ада' }])
  },
)
