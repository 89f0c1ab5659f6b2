import fs from 'node:fs'
import { checkDatabase, deriveDatabaseKey, type Engine } from '../../../electron/engine/index.ts'
import { readSettingsFile } from '../../../electron/host/files/settings-file.ts'
import { listVaults } from '../../../electron/host/files/vault-files.ts'
import { CofferError } from '../../../shared/errors.ts'
import { vaultName } from './marks.ts'
import type { AnswerModel, RecordedStep } from './model.ts'
import { openImage } from './open-image.ts'

const asOwner = (engine: Engine) => engine.as({ kind: 'owner' })
type OwnerClient = ReturnType<typeof asOwner>

/** Opens what a power cut left, as after a restart, and returns what contradicts the model. */
export async function checkImage(dataDir: string, model: AnswerModel): Promise<string[]> {
  const problems: string[] = []
  try {
    const isAnswered = model.known.has('passphrase')
    if (!fs.existsSync(dataDir) || !listVaults(dataDir).includes(vaultName))
      return isAnswered ? ['the vault is gone'] : []
    problems.push(...checkSettings(dataDir, model))
    const vault = await openImage(dataDir, model.passphrases, ({ class: error, where }) => {
      // The journal is not synced, so its end may be missing or damaged.
      if (where !== 'journal') problems.push(`an incident in ${where}: ${error}`)
    })
    const master = Buffer.from(vault.withMaster((secret) => secret))
    try {
      await checkVault(vault.engine, model, problems)
    } finally {
      vault.lock()
    }
    const left = fs.readdirSync(vault.files.folder).sort().join()
    if (left !== 'vault.db,vault.db-commits,vault.json') problems.push(`left behind: ${left}`)
    checkDatabase(vault.files.database, deriveDatabaseKey(master))
  } catch (error) {
    problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
  return problems
}

function checkSettings(dataDir: string, model: AnswerModel): string[] {
  const { content, notice } = readSettingsFile(dataDir)
  const minutes = String(content.settings.auto_lock_minutes)
  const isPossible = model
    .getPossible('setting auto_lock_minutes')
    .some((value) => (value ?? '15') === minutes)
  return [...(notice ? [notice] : []), ...(isPossible ? [] : [`the setting is ${minutes}`])]
}

async function checkVault(engine: Engine, model: AnswerModel, problems: string[]): Promise<void> {
  const found = await readCells(engine, model)
  const traces = await readTraces(engine, problems)
  compareAnswered(found, model, problems)
  const done = [...model.recorded, ...findDoneSteps(found, traces, model, problems)]
  for (const trace of [...done.map((step) => step.trace), ...model.safeReads]) {
    if (!traces.has(trace)) problems.push(`${trace} is not in the log`)
  }
  await checkEvents(engine, model, done, problems)
  await checkCounts(engine, found, problems)
}

/** Whether the vault's database has a cell, rather than another file. */
const isInDatabase = (key: string) => !/^(passphrase|setting)/.test(key)

/** Compares everything that no step in flight may have changed. */
function compareAnswered(found: ReadonlyMap<string, string>, model: AnswerModel, problems: string[]): void {
  const maybe = new Set([...model.inFlight.values()].flatMap(({ cells }) => cells.map(([key]) => key)))
  for (const key of new Set([...model.known.keys(), ...found.keys()])) {
    if (maybe.has(key) || !isInDatabase(key)) continue
    const [value, answered] = [found.get(key) ?? null, model.known.get(key) ?? null]
    if (value !== answered)
      problems.push(`${key} is ${shortenValue(value)}, answered was ${shortenValue(answered)}`)
  }
}

/** Returns the steps in flight that were done. Each is done as a whole, with its log record, or not at all. */
function findDoneSteps(
  found: ReadonlyMap<string, string>,
  traces: ReadonlySet<string>,
  model: AnswerModel,
  problems: string[],
): RecordedStep[] {
  return [...model.inFlight.values()].filter(({ trace, ...step }) => {
    const cells = step.cells.filter(([key]) => isInDatabase(key))
    if (cells.length === 0) return false
    if (cells.every(([key, value]) => (found.get(key) ?? null) === value)) return true
    const isOld = cells.every(([key]) => (found.get(key) ?? null) === (model.known.get(key) ?? null))
    if (!isOld) problems.push(`${trace} is done in part`)
    else if (traces.has(trace)) problems.push(`${trace} is in the log, but not done`)
    return false
  })
}

/** Reads everything that the vault has of what the model may know. */
async function readCells(engine: Engine, model: AnswerModel): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const vault = asOwner(engine)
  const tokens = (await listTokens(vault)).map(async (id) => await vault.tokens.reveal({ id }))
  for (const { id, data } of await Promise.all(tokens)) found.set(`token ${id}`, String(data))
  for (const { document, bytes } of (await vault.documents.newest({ size: 1000 })).data) {
    found.set(`document ${document.id}`, readDocument(engine, document.id, bytes))
  }
  for (const { name, url } of (await vault.webhooks.list({})).data) {
    if (name !== 'Receiver') found.set(`webhook ${name}`, new URL(url).pathname)
  }
  for (const { merchant_identifier } of (await vault.wallets.getOverview({})).merchants) {
    found.set(`merchant ${merchant_identifier}`, 'there')
  }
  for (const id of model.listNames('intent')) {
    if (await isAnswered(vault.tokenIntents.get({ id }), 'not_found')) found.set(`intent ${id}`, 'there')
  }
  for (const key of model.listNames('session')) {
    const state = await readSession(engine, key)
    if (state) found.set(`session ${key}`, state)
  }
  return found
}

async function listTokens({ tokens }: OwnerClient, metadata?: [string, string][]): Promise<string[]> {
  const ids: string[] = []
  for (let start: string | undefined; ; ) {
    const { data, pagination } = await tokens.list({ size: 100, start, ...(metadata && { metadata }) })
    ids.push(...data.map(({ id }) => id))
    if (pagination.next === undefined) return ids
    start = pagination.next
  }
}

/** Returns the size of a document and its byte, as the session writes it; every byte is compared. */
function readDocument({ documents }: Engine, id: string, bytes: number): string {
  const chunks: Buffer[] = []
  for (let number = 0, read = 0; read < bytes; number++) {
    const chunk = documents.readChunk(id, number)
    if (!chunk || chunk.length === 0) return 'a missing chunk'
    chunks.push(chunk)
    read += chunk.length
  }
  const content = Buffer.concat(chunks)
  const [byte = 0] = content
  return content.equals(Buffer.alloc(bytes, byte)) ? `${bytes} of ${byte}` : 'wrong content'
}

/** Returns the state of a session, which only its key shows. */
async function readSession(engine: Engine, key: string): Promise<string | null> {
  try {
    await engine.as({ kind: 'key', key }).tokens.get({ id: 'no token' })
  } catch (error) {
    if (!(error instanceof CofferError)) throw error
    if (error.code === 'unauthenticated') return null
    if (error.code === 'forbidden') return 'started'
    if (error.code === 'not_found') return 'authorized'
    throw error
  }
  throw new Error('the session read a token that does not exist')
}

async function isAnswered(answer: Promise<unknown>, code: CofferError['code']): Promise<boolean> {
  try {
    await answer
    return true
  } catch (error) {
    if (error instanceof CofferError && error.code === code) return false
    throw error
  }
}

/** Returns the traces of the steps that succeeded. */
async function readTraces(engine: Engine, problems: string[]): Promise<Set<string>> {
  const traces = new Set<string>()
  for (let start: string | undefined; ; ) {
    const { data, pagination } = await asOwner(engine).logs.list({ size: 1000, start })
    for (const { trace_id, status } of data) {
      if (!trace_id?.startsWith('step-') || status >= 400) continue
      if (traces.has(trace_id)) problems.push(`${trace_id} is in the log twice`)
      traces.add(trace_id)
    }
    if (pagination.next === undefined) return traces
    start = pagination.next
  }
}

/** Each created token has its event, and no webhook received the event of one that does not exist. */
async function checkEvents(
  engine: Engine,
  { inFlight, received }: AnswerModel,
  done: readonly RecordedStep[],
  problems: string[],
): Promise<void> {
  for (const { created, trace } of done) {
    if (created === 0) continue
    const { data } = await asOwner(engine).deliveries.listOfRequest({ trace_id: trace })
    if (data.length !== created) problems.push(`${trace} has ${data.length} events for ${created} tokens`)
  }
  const missing = [...inFlight.values()].filter((step) => step.created > 0 && !done.includes(step))
  for (const [key] of missing.flatMap(({ cells }) => cells)) {
    if (received.has(key.slice('token '.length)))
      problems.push(`a webhook received ${key}, which is not there`)
  }
}

/** Searches and counts find exactly the tokens and documents that are there. */
async function checkCounts(
  engine: Engine,
  found: ReadonlyMap<string, string>,
  problems: string[],
): Promise<void> {
  const vault = asOwner(engine)
  const tokens = [...found.keys()].filter((key) => key.startsWith('token '))
  const documents = [...found.keys()].filter((key) => key.startsWith('document '))
  const counted = (await vault.tokens.listV1({ size: 1 })).pagination.total_items
  if (counted !== tokens.length) problems.push(`${counted} tokens are counted, ${tokens.length} are there`)
  const { documents: files } = await vault.documents.count({})
  if (files !== documents.length)
    problems.push(`${files} documents are counted, ${documents.length} are there`)
  for (const lane of ['1', '2', '3', '4']) {
    const listed = await listTokens(vault, [['lane', lane]])
    const there = tokens.map((key) => key.slice('token '.length)).filter((id) => isOfLane(id, lane))
    if (listed.sort().join() !== there.sort().join())
      problems.push(`the search for lane ${lane} finds ${listed}`)
  }
}

/** Whether a token has the metadata of a lane. */
function isOfLane(id: string, lane: string): boolean {
  const [kind, , number] = id.split('-')
  return kind !== 'converted' && number === lane
}

function shortenValue(value: string | null): string | null {
  return value === null ? null : `${value.slice(0, 40)} (${value.length})`
}
