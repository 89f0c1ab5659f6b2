// `npm run webhook-crashes -- --rounds 20`: kills a vault that delivers events, and checks for lost and unfounded
// events.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import readline from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createVault } from '../../electron/host/vault/create-vault.ts'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import { CofferError } from '../../shared/errors.ts'
import { createRandom } from './create-random.ts'

const name = 'default'
const protection = {
  passphrase: 'correct horse',
  argon2id: { memory_kib: 64, iterations: 1, parallelism: 1 },
}
const owner = { kind: 'owner' } as const
const program = path.join(import.meta.dirname, '..', '..', 'electron', 'cli', 'run.mjs')
const CLIENTS = 8
/** How long the last server may take to deliver the events that the killed ones left. */
const DELIVERY_TIMEOUT_MS = 60_000

export type CrashesResult = { rounds: number; answered: number; delivered: number; problems: string[] }

type Delivery = { readonly event: string; readonly token: string; readonly timestamp: string }

/**
 * Creates tokens against a server that is killed repeatedly, while two webhooks receive events (rule W-02). Each
 * webhook must receive an event for every acknowledged token at least once, none for a token that is not in the vault,
 * and all in the same order.
 */
export async function runWebhookCrashes(options: {
  rounds: number
  seed: number
  folder: string
  max_delay_ms: number
  /** The minimum number of creates that succeed before the kill of each round. */
  answers?: number
  print?: (line: string) => void
}): Promise<CrashesResult> {
  const { rounds, folder: dataDir, max_delay_ms, answers = 0, print = () => {} } = options
  const random = createRandom(options.seed)
  const target = await startTarget()
  const key = await prepareVault(dataDir, target.url)
  const answered = new Set<string>()
  for (let round = 0; round < rounds; round++) {
    const { child, url } = await startServe(dataDir)
    const ended = once(child, 'exit')
    const firstDelivery = target.next()
    const before = answered.size
    const writing = Array.from({ length: CLIENTS }, (_, client) =>
      createTokens(url, key, `${round}-${client}`, answered),
    )
    await Promise.race([firstDelivery, ended])
    const enough = before + answers
    while (answered.size < enough && child.exitCode === null && child.signalCode === null) await delay(5)
    const after = Math.round(random() * max_delay_ms)
    await delay(after)
    child.kill('SIGKILL')
    await Promise.all([ended, ...writing])
    print(
      `round ${round + 1}: killed ${after} ms after a delivery; ${answered.size} answered, ${target.count()} delivered`,
    )
  }
  const problems = await deliverRemaining(dataDir, target, answered)
  problems.push(...(await compareDeliveries(dataDir, target.received, answered)))
  target.close()
  return { rounds, answered: answered.size, delivered: target.count(), problems }
}

/** Starts a receiver that stores the events of each webhook in order. */
async function startTarget() {
  const received = new Map<string, Delivery[]>([
    ['/a', []],
    ['/b', []],
  ])
  let onDelivery = () => {}
  const server = http.createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const { event } = JSON.parse(text) as {
      event: { id: string; timestamp: string; data: { token: { id: string } } }
    }
    const { id, timestamp, data } = event
    received.get(request.url ?? '')?.push({ event: id, token: data.token.id, timestamp })
    response.end()
    onDelivery()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => [...received.values()].reduce((sum, each) => sum + each.length, 0),
    /** Resolves at the next delivery. */
    next: () =>
      new Promise<void>((resolve) => {
        onDelivery = resolve
      }),
    close: () => void server.close().closeAllConnections(),
  }
}

type WebhookTarget = Awaited<ReturnType<typeof startTarget>>

/** Creates a vault with two webhooks, and a key that creates tokens. */
async function prepareVault(dataDir: string, target: string): Promise<string> {
  const { vault } = await createVault({ dataDir, name, protection })
  for (const each of ['a', 'b']) {
    const webhook = { name: each, url: `${target}/${each}`, events: ['token.created'] }
    await vault.engine.call('webhooks.create', webhook, owner)
  }
  const application = { name: 'Crash', type: 'private', permissions: ['token:create'] }
  const { output } = await vault.engine.call('applications.create', application, owner)
  vault.lock()
  return (output as { key: string }).key
}

async function startServe(dataDir: string): Promise<{ child: ChildProcess; url: string }> {
  const { PATH, HOME, TMPDIR } = process.env
  const flags = ['--disable-warning=ExperimentalWarning']
  const args = [...flags, program, 'serve', '--data-dir', dataDir, '--port', '0', '--json']
  const child = spawn(process.execPath, args, {
    env: {
      PATH,
      HOME,
      TMPDIR,
      COFFER_PASSPHRASE: protection.passphrase,
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of readline.createInterface({ input: child.stdout })) {
    return { child, url: (JSON.parse(line) as { url: string }).url }
  }
  throw new Error('coffer serve did not start')
}

/** Creates tokens until the server is down. Every fourth create has an id that exists, so it is rolled back. */
async function createTokens(url: string, key: string, client: string, answered: Set<string>): Promise<void> {
  for (let number = 0; ; number++) {
    const isRepeated = number % 4 === 3
    const id = `${client}-${isRepeated ? number - 1 : number}`
    try {
      const response = await fetch(`${url}/tokens`, {
        method: 'POST',
        headers: { 'SVC-API-KEY': key, 'Content-Type': 'application/json' },
        body: JSON.stringify({ id, type: 'token', data: isRepeated ? 'repeated' : 'made' }),
      })
      await response.arrayBuffer()
      if (response.status === 201) answered.add(id)
      else if (!isRepeated || response.status !== 409)
        throw new Error(`A create was answered with ${response.status}.`)
    } catch (error) {
      if (error instanceof TypeError) return
      throw error
    }
  }
}

/** Lets a last server deliver the remaining events. */
async function deliverRemaining(
  dataDir: string,
  target: WebhookTarget,
  answered: Set<string>,
): Promise<string[]> {
  const { child } = await startServe(dataDir)
  const ended = once(child, 'exit')
  const findMissing = () =>
    [...target.received].flatMap(([webhook, received]) => {
      const tokens = new Set(received.map(({ token }) => token))
      return [...answered].filter((id) => !tokens.has(id)).map((id) => `${webhook} never received ${id}`)
    })
  const until = performance.now() + DELIVERY_TIMEOUT_MS
  while (findMissing().length > 0 && performance.now() < until) await delay(100)
  child.kill('SIGTERM')
  await ended
  return findMissing().slice(0, 20)
}

async function compareDeliveries(
  dataDir: string,
  received: WebhookTarget['received'],
  answered: ReadonlySet<string>,
): Promise<string[]> {
  const problems: string[] = []
  const vault = await openVault({ dataDir, name, with: protection })
  const isThere = (id: string) =>
    vault.engine.call('tokens.get', { id }, owner).then(
      () => true,
      (error: unknown) => {
        if (error instanceof CofferError && error.code === 'not_found') return false
        throw error
      },
    )
  const orders = new Map<string, string[]>()
  for (const [webhook, deliveries] of received) {
    // A delivery that was not recorded before the kill is repeated.
    const inOrder = [...new Map(deliveries.map((each) => [each.event, each])).values()]
    orders.set(
      webhook,
      inOrder.map(({ event }) => event),
    )
    const times = inOrder.map(({ timestamp }) => timestamp)
    if (times.some((time, at) => at > 0 && time < (times[at - 1] ?? '')))
      problems.push(`${webhook}: out of order`)
    const tokens = inOrder.map(({ token }) => token)
    if (new Set(tokens).size !== tokens.length) problems.push(`${webhook}: one token has two events`)
    for (const id of tokens) {
      if (!answered.has(id) && !(await isThere(id)))
        problems.push(`${webhook} received ${id}, which is not there`)
    }
  }
  const [a = [], b = []] = [...orders.values()]
  const shared = Math.min(a.length, b.length)
  if (a.slice(0, shared).join() !== b.slice(0, shared).join())
    problems.push('the webhooks received events in different orders')
  vault.lock()
  return problems
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { rounds: { type: 'string', default: '20' }, seed: { type: 'string' } },
  })
  const seed = Number(values.seed ?? Date.now() % 1_000_000)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-webhook-crashes-'))
  console.log(`seed ${seed}, in ${folder}`)
  const print = (line: string) => console.log(line)
  const started = performance.now()
  const result = await runWebhookCrashes({
    rounds: Number(values.rounds),
    seed,
    folder,
    max_delay_ms: 1000,
    print,
  })
  const seconds = Math.round((performance.now() - started) / 1000)
  console.log(
    `${result.rounds} rounds in ${seconds} s, ${result.answered} answered, ${result.delivered} delivered, ${result.problems.length} problems`,
  )
  for (const problem of result.problems) console.log(problem)
  if (result.problems.length > 0) process.exitCode = 1
  else fs.rmSync(folder, { recursive: true })
}
