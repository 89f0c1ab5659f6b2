import { fork } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Reply } from '../../shared/client.ts'
import type { Json } from '../../shared/json.ts'
import { browser, payment } from '../three-ds.ts'
import { createTempFolder } from '../vault.ts'
import type { HeapJob } from './heap-child.ts'

const child = path.join(import.meta.dirname, 'heap-child.ts')

/** Starts a process with a host. The process runs jobs for the test and does not retain their input. */
async function startHeap(dataDir: string) {
  const running = fork(child, [dataDir], {
    // Write complete strings instead of their first thousand characters.
    execArgv: [
      '--expose-gc',
      '--heap-snapshot-string-limit=100000000',
      '--disable-warning=ExperimentalWarning',
    ],
  })
  onTestFinished(() => {
    running.kill('SIGKILL')
  })
  await once(running, 'message')
  async function sendJob<T>(order: HeapJob): Promise<T> {
    const answered = once(running, 'message')
    running.send(order)
    const [{ said }] = await answered
    return said as T
  }
  async function callCommand<T>(name: string, input: Json = {}, as?: string): Promise<T> {
    const reply = await sendJob<Reply>({ do: 'call', name, input, ...(as !== undefined && { as }) })
    if (!reply.ok) throw new Error(`${name}: ${reply.problem.detail}`)
    return reply.output as T
  }
  return { sendJob, callCommand }
}

type CreatedVault = { readonly keys: Record<string, string>; readonly recovery_key: string }

const createDigits = (length: number) => [...randomBytes(length)].map((byte) => byte % 10).join('')

/** A card number that passes the Luhn check and that nothing else contains by chance. */
function canaryCard(): string {
  const body = `5200${createDigits(11)}`
  const sum = [...body].reverse().reduce((total, digit, at) => {
    const doubled = Number(digit) * (at % 2 === 0 ? 2 : 1)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return body + ((10 - (sum % 10)) % 10)
}

test('X-35 after a lock a heap snapshot contains no key, passphrase or plaintext', {
  tags: 'thorough',
}, async () => {
  const folder = createTempFolder()
  const { sendJob, callCommand } = await startHeap(path.join(folder, 'data'))
  const secrets: Record<string, string> = {
    passphrase: `canary passphrase ${randomBytes(8).toString('hex')}`,
    'card number': canaryCard(),
    text: `canary text ${randomBytes(8).toString('hex')}`,
    'text in an expression': `canary-mask-${randomBytes(8).toString('hex')}`,
  }
  const { passphrase = '', text = '' } = secrets
  const number = secrets['card number'] ?? ''
  const protection = { passphrase }
  const created = await callCommand<CreatedVault>('host.createVault', {
    name: 'work',
    protection,
  })
  await callCommand('host.lock')
  await callCommand('host.unlock', { name: 'work', with: protection })
  const [master = '', database = ''] = await sendJob<string[]>({ do: 'keys' })
  Object.assign(secrets, {
    'recovery key': created.recovery_key,
    'master secret': master,
    'master secret in base64': Buffer.from(master, 'hex').toString('base64'),
    'database key': database,
    'database key in base64': Buffer.from(database, 'hex').toString('base64'),
  })
  for (const [type, key] of Object.entries(created.keys)) secrets[`${type} key`] = key

  const card = { type: 'card', data: { number, expiration_month: 12, expiration_year: 2031, cvc: '987' } }
  const { id } = await callCommand<{ id: string }>('tokens.create', card)
  await callCommand('tokens.reveal', { id })
  const mask = { shown: `${secrets['text in an expression']} {{ data.text }}` }
  const searched = { data: { text }, mask, search_indexes: ['{{ data.text }}'] }
  await callCommand('tokens.create', { type: 'token', ...searched })
  await callCommand('tokens.search', { query: `data:"${text}"` })
  const lines = `${JSON.stringify({ type: 'token', data: { imported: text } })}\n`
  const imported = { format: 'ndjson', text: lines, mapping: null, import_id: randomUUID() }
  expect(await callCommand('host.importTokens', imported)).toMatchObject({ created: 1 })
  const confirm = { vault: 'work', with: protection }
  expect(
    (await callCommand<{ text: string }>('host.exportTokens', { format: 'csv', confirm })).text,
  ).toContain(number)
  const renewed = await callCommand<{ recovery_key: string }>('host.draftRecoveryKey', { with: protection })
  await callCommand('host.newRecoveryKey', { with: protection, recovery_key: renewed.recovery_key })
  secrets['new recovery key'] = renewed.recovery_key
  const { url } = await callCommand<{ url: string }>('host.listenerOn')
  const headers = { 'SVC-API-KEY': created.keys.private ?? '', 'content-type': 'application/json' }
  async function sendRequest(method: string, target: string, body?: Json): Promise<number> {
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    return (await sendJob<{ status: number }>({ do: 'fetch', url: url + target, init })).status
  }
  expect(await sendRequest('POST', '/tokens', { ...card, data: { number: `${number}x` } })).toBe(400)
  expect(await sendRequest('POST', '/tokens', card)).toBe(201)
  expect(await sendRequest('POST', '/detokenize', { all: `{{ ${id} }}` })).toBe(200)

  const paid = await callCommand<{ id: string }>('threeDs.create', {
    token_id: id,
    device: 'browser',
    device_info: { ...browser, browser_user_agent: text },
    authentication_request: { ...payment, cardholder_info: { ...payment.cardholder_info, name: text } },
    callback_urls: {
      success: `https://shop.example.com/${secrets['text in an expression']}`,
      failure: 'https://shop.example.com',
    },
  })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const challenge = {
    url: `${url}/3ds/redirect/${paid.id}`,
    init: { method: 'POST', headers: form, body: '' },
  }
  expect(await sendJob({ do: 'fetch', ...challenge })).toEqual({ status: 200 })
  expect(await callCommand('threeDs.get', { id: paid.id })).toMatchObject({
    authentication: { authentication_status: 'attempted' },
  })

  const other = await callCommand<CreatedVault>('host.createVault', { name: 'other', protection })
  secrets['other recovery key'] = other.recovery_key
  for (const [type, key] of Object.entries(other.keys)) secrets[`other ${type} key`] = key
  await callCommand('host.lock')
  expect(await sendRequest('GET', '/v2/tokens')).toBe(423)
  const file = await sendJob<string>({ do: 'snapshot', file: path.join(folder, 'locked.heapsnapshot') })
  const heap = fs.readFileSync(file, 'latin1')
  // The path of the folder is still in memory, which shows that the search works.
  expect(heap).toContain(folder)
  expect(Object.keys(secrets).filter((name) => heap.includes(secrets[name] as string))).toEqual([])
})
