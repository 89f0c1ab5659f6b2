import { randomBytes } from 'node:crypto'
import { BasisTheory, BasisTheoryClient } from '@basis-theory/node-sdk'
import { expect, test } from 'vitest'
import { CHUNK_BYTES } from '../../../shared/schemas/document.ts'
import { describeMissingPython, runPython } from './python.ts'
import { awaitRejection, startClientServer } from './start.ts'

const permissions = ['documents:create', 'documents:read', 'documents:reveal', 'documents:delete']

async function startDocumentServer() {
  const { vault, url } = await startClientServer()
  return { url, ...(await vault.application({ permissions })) }
}

test('D-01 node-sdk 5: a document is uploaded, fetched, read and deleted', async () => {
  const { url, key, id: application } = await startDocumentServer()
  const { documents } = new BasisTheoryClient({ apiKey: key, environment: url, maxRetries: 0 })
  const metadata = { 'attribute 1': 'value 1' }
  const document = new Blob(['Hello World'], { type: 'text/plain' })
  const created = await documents.upload({ document, request: { metadata } })
  expect(created).toMatchObject({ contentType: 'text/plain', metadata, createdBy: application })
  const id = created.id as string
  expect(await documents.get(id)).toEqual(created)
  expect(Buffer.from(await (await documents.data.get(id)).arrayBuffer()).toString()).toBe('Hello World')
  await documents.delete(id)
  expect(await awaitRejection(documents.get(id))).toBeInstanceOf(BasisTheory.NotFoundError)
  const long = new Blob([randomBytes(3 * CHUNK_BYTES)], { type: 'application/pdf' })
  const alone = await documents.upload({ document: long })
  expect(alone).toMatchObject({ contentType: 'application/pdf', metadata: {} })
  const none = documents.upload({ request: {} } as never)
  expect(await awaitRejection(none)).toMatchObject({ statusCode: 400 })
})

const reason = describeMissingPython()
if (reason !== null) console.log(`The Python clients are not tried: ${reason}.`)

const uploads = `
import json, os, requests
from basis_theory import BasisTheory
from basis_theory.core.api_error import ApiError

client = BasisTheory(api_key=os.environ["KEY"], base_url=os.environ["URL"])
documents = client.documents
created = documents.upload(
    document=("hello.txt", b"Hello World", "text/plain"), request={"metadata": {"attribute 1": "value 1"}}
)
got = documents.get(created.id)
data = b"".join(documents.data.get(created.id))
documents.delete(created.id)
try:
    documents.get(created.id)
    gone = None
except ApiError as error:
    gone = error.status_code
headers = {"BT-API-KEY": os.environ["KEY"]}
files = {"request": (None, '{"metadata": {"a": "b"}}', "application/json"), "document": ("../x.bin", b"\\x00\\xff" * 400000)}
answer = requests.post(os.environ["URL"] + "/documents", headers=headers, files=files)
same = requests.get(os.environ["URL"] + "/documents/" + answer.json()["id"] + "/data", headers=headers)
print(json.dumps({
    "got": [got.content_type, got.metadata], "data": data.decode(), "gone": gone,
    "requests": [answer.status_code, answer.json()["content_type"], answer.json()["metadata"],
        same.content == b"\\x00\\xff" * 400000],
}))
`

test.skipIf(reason !== null)('D-01 Python: documents are uploaded, fetched, read and deleted', async () => {
  const { url, key } = await startDocumentServer()
  expect(await runPython(uploads, { URL: url, KEY: key })).toEqual({
    got: ['text/plain', { 'attribute 1': 'value 1' }],
    data: 'Hello World',
    gone: 404,
    requests: [202, 'application/octet-stream', { a: 'b' }, true],
  })
})
