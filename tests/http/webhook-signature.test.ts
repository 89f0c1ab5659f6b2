import { execFile, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createTempFolder } from '../vault.ts'
import { waitFor } from '../wait-for.ts'
import { describeMissingPython, runPython } from './clients/python.ts'
import { isSigned, type ReceivedDelivery, startReceiver, startWebhooks } from './start-webhooks.ts'

const run = promisify(execFile)

/** Returns the public key and a delivery with JSON that most libraries would serialize differently. */
async function deliverEvent(): Promise<{ readonly one: ReceivedDelivery; readonly pem: string }> {
  const receiver = await startReceiver()
  const { createWebhook, owner, listener } = await startWebhooks()
  await createWebhook(receiver.url, 'application.created')
  const name = 'Zoë <shop> & "Söhne" \u2028 \u{1F9FE} \uFFFD / \\'
  const rules = [{ priority: 1, container: '/', transform: 'mask', permissions: ['token:read'] }]
  await owner.applications.create({ name, type: 'private', rules } as never)
  const one = await waitFor(() => {
    expect(receiver.arrived).toHaveLength(1)
    return receiver.arrived[0] as ReceivedDelivery
  })
  const pem = await (await fetch(`${listener.url}/.well-known/webhooks.v1.key`)).text()
  expect(pem).toMatch(/^-----BEGIN PUBLIC KEY-----\n/)
  return { one, pem }
}

/** Serializes in the documented way: members sorted by code unit, without spaces. */
function serializeStably(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(serializeStably).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${serializeStably(each)}`).join(',')}}`
}

test('W-03 a signature verifies with Node, even after the JSON is serialized again', async () => {
  const { one, pem } = await deliverEvent()
  expect(isSigned(one, pem)).toBe(true)
  expect(serializeStably(JSON.parse(one.text))).toBe(one.text)
  const text = one.text.replace('application.created', 'application.deleted')
  expect(isSigned({ ...one, text }, pem)).toBe(false)
})

// This is outside a test, because installing the packages may take longer than its timeout.
const reason = describeMissingPython()
if (reason !== null) console.log(`W-03 is not run with Python: ${reason}.`)

test.skipIf(reason !== null)('W-03 a signature verifies with Python', async () => {
  const { one, pem } = await deliverEvent()
  const program = `
import base64, json, os
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding

key = serialization.load_pem_public_key(os.environ["PEM"].encode())
signature = base64.b64decode(os.environ["SIGNATURE"])
body = os.environ["BODY"].encode()
again = json.dumps(json.loads(body), sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
pss = padding.PSS(mgf=padding.MGF1(hashes.SHA256()), salt_length=padding.PSS.AUTO)

def verifies(text):
    try:
        key.verify(signature, text, pss, hashes.SHA256())
        return True
    except InvalidSignature:
        return False

print(json.dumps([verifies(body), verifies(again), verifies(body + b" ")]))
`
  const env = { PEM: pem, SIGNATURE: String(one.headers['bt-signature']), BODY: one.text }
  expect(await runPython(program, env)).toEqual([true, true, false])
})

const goProgram = `package main

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"os"
)

func main() {
	block, _ := pem.Decode([]byte(os.Getenv("PEM")))
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		panic(err)
	}
	signature, err := base64.StdEncoding.DecodeString(os.Getenv("SIGNATURE"))
	if err != nil {
		panic(err)
	}
	for _, body := range []string{os.Getenv("BODY"), os.Getenv("BODY") + " "} {
		hash := sha256.Sum256([]byte(body))
		fmt.Println(rsa.VerifyPSS(key.(*rsa.PublicKey), crypto.SHA256, hash[:], signature, nil) == nil)
	}
}
`

test('W-03 a signature verifies with the standard library of Go', {
  tags: 'thorough',
  timeout: 120_000,
}, async (context) => {
  if (spawnSync('go', ['version']).status !== 0) {
    console.log('W-03 is not run with Go: Go is not installed.')
    context.skip('Go is not installed')
  }
  const { one, pem } = await deliverEvent()
  const folder = createTempFolder()
  fs.writeFileSync(path.join(folder, 'main.go'), goProgram)
  const { stdout } = await run('go', ['run', path.join(folder, 'main.go')], {
    env: {
      ...process.env,
      GOFLAGS: '-mod=mod',
      GO111MODULE: 'off',
      PEM: pem,
      SIGNATURE: String(one.headers['bt-signature']),
      BODY: one.text,
    },
    timeout: 120_000,
  })
  expect(stdout.trim().split('\n')).toEqual(['true', 'false'])
})
