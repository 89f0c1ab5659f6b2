// The program whose writes are recorded. It creates a vault, uses everything that stores something, several things at a
// time, and says in `marks` what it begins and what was answered.
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { CallInfo } from '../../../electron/engine/index.ts'
import { EffectiveSettings } from '../../../electron/host/host-settings.ts'
import { changeProtection } from '../../../electron/host/maintenance/change-protection.ts'
import { rotateDataKey } from '../../../electron/host/maintenance/rotate-data-key.ts'
import { createVault } from '../../../electron/host/vault/create-vault.ts'
import { openVault } from '../../../electron/host/vault/open-vault.ts'
import { Deliveries } from '../../../electron/host/webhooks/deliveries.ts'
import { Outbound } from '../../../electron/outbound/outbound.ts'
import { CofferError } from '../../../shared/errors.ts'
import { CHUNK_BYTES } from '../../../shared/schemas/document.ts'
import { createRandom } from '../create-random.ts'
import { type Cell, type Mark, protectBy, type SessionOrder, sessionTime, vaultName } from './marks.ts'

const order = JSON.parse(process.argv[2] ?? '{}') as SessionOrder
const { dataDir, seed, steps, phases } = order
const name = vaultName
const random = createRandom(seed)
const marks = fs.openSync(order.marks, 'a')
const addMark = (mark: Mark) => fs.writeSync(marks, `${JSON.stringify(mark)}\n`)
let count = 0

/** Makes a change, and says before and after it what it changes. */
async function makeChange<T>(
  cells: readonly Cell[],
  run: (info: CallInfo) => T | Promise<T>,
  { isRecorded = true, toCells }: { isRecorded?: boolean; toCells?: (output: T) => Cell[] } = {},
): Promise<T> {
  const step = ++count
  addMark({ begins: step, cells })
  let output: T
  try {
    output = await run({ trace_id: `step-${step}` })
  } catch (error) {
    addMark({ refused: step })
    throw error
  }
  addMark({ answered: step, ...(toCells && { cells: toCells(output) }), isRecorded })
  return output
}

const receiver = http.createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  const { event } = JSON.parse(text) as { event: { data: { token: { id: string } } } }
  addMark({ received: event.data.token.id })
  response.end()
})
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`

const deliveries = new Deliveries({
  engine: () => (vault.isLocked ? null : vault.engine),
  outbound: new Outbound({ destinations: () => ({ allow: [], map: {} }), ownPorts: () => [] }),
  report: (error) => {
    throw error
  },
})
const engine = { now: () => sessionTime, onEvents: () => deliveries.schedulePoll() }
let passphrase = 'the first passphrase'
let { vault } = await makeChange(
  [['passphrase', passphrase]],
  () => createVault({ dataDir, name, protection: protectBy(passphrase), engine }),
  { isRecorded: false },
)
const asOwner = (info: CallInfo) => vault.engine.as({ kind: 'owner' }, info)
const asKey = (key: string, info: CallInfo) => vault.engine.as({ kind: 'key', key }, info)

const rules = [
  { priority: 1, container: '/', transform: 'reveal' as const, permissions: ['token:read' as const] },
]
const reader = await asOwner({}).applications.create({ name: 'Reader', type: 'private', rules })
const page = await asOwner({}).applications.create({
  name: 'Page',
  type: 'public',
  permissions: ['token:create'],
})
const [privateKey, publicKey] = [String(reader.key), String(page.key)]
await asOwner({}).webhooks.create({ name: 'Receiver', url, events: ['token.created'] })

type Lane = {
  readonly number: number
  readonly tokens: string[]
  readonly documents: string[]
  readonly intents: { readonly id: string; readonly data: string }[]
}

const pickOne = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)]
const removeItem = <T>(items: T[], item: T) => items.splice(items.indexOf(item), 1)
/** Text of a random length. A tenth of it is long, so that some commits have many frames. */
const newText = () => `${count} ${'x'.repeat(Math.floor(random() * (random() < 0.1 ? 60_000 : 200)))}`

async function createToken(lane: Lane): Promise<void> {
  const id = `token-${count}-${lane.number}`
  const data = newText()
  const token = {
    id,
    type: 'token',
    data,
    metadata: { lane: String(lane.number) },
    search_indexes: ['{{ data }}'],
  }
  await makeChange([[`token ${id}`, data]], (info) => asOwner(info).tokens.create(token))
  lane.tokens.push(id)
}

async function updateToken({ tokens }: Lane): Promise<void> {
  const id = pickOne(tokens)
  if (id === undefined) return
  const data = newText()
  await makeChange([[`token ${id}`, data]], (info) => asOwner(info).tokens.update({ id, data }))
}

async function removeToken({ tokens }: Lane): Promise<void> {
  const id = pickOne(tokens)
  if (id === undefined) return
  await makeChange([[`token ${id}`, null]], (info) => asOwner(info).tokens.remove({ id }))
  removeItem(tokens, id)
}

/** A create that is rolled back beside others in its commit. */
async function createTwice({ tokens }: Lane): Promise<void> {
  const id = pickOne(tokens)
  if (id === undefined) return
  await asOwner({})
    .tokens.create({ id, type: 'token', data: 'taken' })
    .catch(() => {})
}

async function createSeveral({ number, tokens }: Lane): Promise<void> {
  const several = [1, 2, 3].map((each) => ({ id: `several-${count}-${number}-${each}`, data: newText() }))
  const cells = several.map(({ id, data }): Cell => [`token ${id}`, data])
  const metadata = { lane: String(number) }
  await makeChange(cells, (info) =>
    asOwner(info).tokens.tokenize({
      payload: several.map((each) => ({ ...each, type: 'token', metadata, search_indexes: ['{{ data }}'] })),
    }),
  )
  tokens.push(...several.map(({ id }) => id))
}

async function readToken({ tokens }: Lane): Promise<void> {
  const id = pickOne(tokens)
  if (id !== undefined) await makeChange([], (info) => asKey(privateKey, info).tokens.get({ id }))
}

async function createDocument({ documents }: Lane): Promise<void> {
  const id = randomUUID()
  const usual = random() < 0.2 ? 3 * CHUNK_BYTES : 2000
  const size = Math.floor(random() * (order.isLarge ? 60 * CHUNK_BYTES : usual)) + 1
  const byte = Math.floor(random() * 256)
  const last = { content_type: 'text/plain', metadata: {} }
  try {
    await makeChange([[`document ${id}`, `${size} of ${byte}`]], async (info) => {
      for (let number = 0; number * CHUNK_BYTES < size; number++) {
        const left = size - number * CHUNK_BYTES
        const data = Buffer.alloc(Math.min(left, CHUNK_BYTES), byte)
        await asOwner(info).documents.create({ id, number, data, last: left <= CHUNK_BYTES ? last : null })
      }
    })
    documents.push(id)
  } catch (error) {
    // A change of the data key interrupts uploads.
    if (!(error instanceof CofferError) || error.code !== 'unavailable') throw error
  }
}

async function removeDocument({ documents }: Lane): Promise<void> {
  const id = pickOne(documents)
  if (id === undefined) return
  await makeChange([[`document ${id}`, null]], (info) => asOwner(info).documents.remove({ id }))
  removeItem(documents, id)
}

async function createIntent({ intents }: Lane): Promise<void> {
  const data = newText()
  const { id } = await makeChange([], (info) => asOwner(info).tokenIntents.create({ type: 'token', data }), {
    toCells: (intent) => [[`intent ${intent.id}`, 'there']],
  })
  intents.push({ id, data })
}

/** Makes a token of an intent, which is gone then: both happen, or neither. */
async function convertIntent({ intents, number }: Lane): Promise<void> {
  const intent = pickOne(intents)
  if (!intent) return
  const id = `converted-${count}-${number}`
  const cells: Cell[] = [
    [`intent ${intent.id}`, null],
    [`token ${id}`, intent.data],
  ]
  await makeChange(cells, (info) => asOwner(info).tokens.create({ id, token_intent_id: intent.id }))
  removeItem(intents, intent)
}

async function startSession(): Promise<void> {
  const { session_key, nonce } = await makeChange([], (info) => asKey(publicKey, info).sessions.create({}), {
    toCells: (session) => [[`session ${session.session_key}`, 'started']],
  })
  if (random() < 0.3) return
  const permissions = ['token:read' as const]
  await makeChange([[`session ${session_key}`, 'authorized']], (info) =>
    asKey(privateKey, info).sessions.authorize({ nonce, permissions }),
  )
}

/** A vault has at most five webhooks, so each is deleted again. */
async function changeWebhook({ number }: Lane): Promise<void> {
  const webhook = `hook-${count}-${number}`
  const events = ['token.deleted' as const]
  const { id } = await makeChange([[`webhook ${webhook}`, '/a']], (info) =>
    asOwner(info).webhooks.create({ name: webhook, url: `${url}/a`, events }),
  )
  await makeChange([[`webhook ${webhook}`, '/b']], (info) =>
    asOwner(info).webhooks.update({ id, name: webhook, url: `${url}/b`, events }),
  )
  await makeChange([[`webhook ${webhook}`, null]], (info) => asOwner(info).webhooks.remove({ id }))
}

async function changeMerchant({ number }: Lane): Promise<void> {
  const merchant_identifier = `merchant.${count}.${number}`
  const { id } = await makeChange([[`merchant ${merchant_identifier}`, 'there']], (info) =>
    asOwner(info).applePay.createMerchant({ merchant_identifier }),
  )
  if (random() < 0.5) return
  await makeChange([[`merchant ${merchant_identifier}`, null]], (info) =>
    asOwner(info).applePay.removeMerchant({ id }),
  )
}

const changes: readonly ((lane: Lane) => Promise<void>)[] = [
  ...[createToken, createToken, createToken, createToken, updateToken, updateToken, removeToken, createTwice],
  ...[createSeveral, readToken, readToken, readToken, readToken, createDocument, removeDocument],
  ...[createIntent, convertIntent, startSession, changeWebhook, changeMerchant],
]

async function runLane(lane: Lane): Promise<void> {
  for (let step = 0; step < steps; step++) {
    await pickOne(changes)?.(lane)
    // Without a pause, most steps share their commit with another lane's.
    if (random() < 0.3) await delay(random() * 4)
  }
}

const settings = new EffectiveSettings(dataDir, {}, () => {})

async function changeSettings(): Promise<void> {
  const minutes = count
  await makeChange(
    [['setting auto_lock_minutes', String(minutes)]],
    () => settings.changeSettings({ auto_lock_minutes: minutes }),
    {
      isRecorded: false,
    },
  )
}

async function changePassphrase(): Promise<void> {
  const next = `the passphrase of step ${count}`
  await makeChange([['passphrase', next]], () => changeProtection(vault, { protection: protectBy(next) }), {
    isRecorded: false,
  })
  passphrase = next
}

/** What happens to the whole vault, once in each phase, while the lanes run. */
const maintenance = [() => rotateDataKey(vault), changePassphrase, changeSettings]

const lanes = [1, 2, 3, 4].map((number): Lane => ({ number, tokens: [], documents: [], intents: [] }))
for (let phase = 0; phase < phases; phase++) {
  vault.engine.sweeper.start()
  const runMaintenance = async () => {
    await delay(random() * 20)
    await changeSettings()
    await maintenance[phase % maintenance.length]?.()
  }
  await Promise.all([...lanes.map(runLane), runMaintenance()])
  deliveries.stop()
  vault.lock()
  vault = await openVault({ dataDir, name, with: { passphrase }, engine })
  deliveries.schedulePoll()
}
process.exit()
