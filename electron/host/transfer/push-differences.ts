import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../../shared/json.ts'
import { mapConcurrently } from '../../../shared/map-concurrently.ts'
import type { Token } from '../../../shared/schemas/token.ts'
import { z } from '../../../shared/zod.ts'
import { owner, toStorageError } from '../../engine/index.ts'
import type { JobWatch } from '../jobs/background.ts'
import { countTokens, exportSelected } from './export-tokens.ts'
import { createMissingPermissionError } from './missing-permission.ts'
import { assertNewFile, writeNewFile } from './new-file.ts'
import type { OwnersEngine } from './owner-client.ts'
import { fetchAnswer, MAX_CONCURRENT_REQUESTS, type PushTarget } from './push-request.ts'
import type { PushReport } from './push-vault.ts'

/** A member that the server returns differently. `keys` are the names of differing metadata. */
type Difference = {
  readonly member: ComparedMember
  readonly here?: ShownValue
  readonly there?: ShownValue
  readonly keys?: readonly string[]
}
type ShownValue = string | boolean | readonly string[] | null

type ComparedToken = {
  readonly what: 'token'
  readonly id: string
  readonly there: 'same' | 'different' | 'missing' | 'unreadable'
  readonly status?: number
  readonly differences?: readonly Difference[]
}

/** How many tokens the server returns like the vault, differently, or not at all, and how many differ in each member. */
export type ComparedCounts = Record<ComparedToken['there'], number> & {
  members: Partial<Record<ComparedMember, number>>
}

const comparedMembers = [
  'type',
  'mask',
  'containers',
  'metadata',
  'fingerprint',
  'fingerprint_expression',
  'search_indexes',
  'expires_at',
] as const satisfies readonly (keyof Token)[]
type ComparedMember = (typeof comparedMembers)[number] | 'data'

type ComparableToken = { readonly [member: string]: unknown }
const remoteToken: z.ZodType<ComparableToken> = z.looseObject({ id: z.string() })

/** What the server returned for a token; no token if it did not return one. */
type Answer = { readonly status: number; readonly token: ComparableToken | undefined }

const PAGE_SIZE = 100

/**
 * Throws `conflict` if the file of the report exists, and `forbidden` if the key may not read tokens. Call it before
 * the push, which would otherwise end without its report.
 */
export async function assertComparable(file: string, target: PushTarget): Promise<void> {
  assertNewFile(file)
  const { status } = await fetchAnswer(target, `/tokens/${randomUUID()}`)
  if (status === 403) throw createMissingPermissionError(target.url, 'token:read')
}

/**
 * Reads every token of the vault from the server, and writes a new file with the results of the push and of this
 * comparison, one JSON object a line. Throws what `fetchAnswer` throws, `conflict` if the file exists, and
 * `storage_full` and the like.
 */
export async function writeDifferences(
  engine: OwnersEngine,
  { file, pushed }: { readonly file: string; readonly pushed: PushReport },
  target: PushTarget,
  { onProgress }: Pick<JobWatch, 'onProgress'> = {},
): Promise<ComparedCounts> {
  const counts: ComparedCounts = { same: 0, different: 0, missing: 0, unreadable: 0, members: {} }
  const total = await countTokens(engine)
  let done = 0
  try {
    await writeNewFile(file, async (writeText) => {
      writeText(formatLines(listPushed(pushed)))
      for await (const tokens of listTokens(engine)) {
        const answers = await mapConcurrently(tokens, MAX_CONCURRENT_REQUESTS, ({ id }) =>
          fetchToken(id, target),
        )
        const plaintext = target.preview ? null : await readPlaintext(engine, tokens, answers)
        const compared = tokens.map((token, at) => compareToken(token, answers[at], plaintext?.get(token.id)))
        for (const each of compared) addToCounts(counts, each)
        writeText(formatLines(compared))
        done += tokens.length
        onProgress?.(done, Math.max(total, done))
      }
    })
  } catch (error) {
    throw toStorageError(error, file)
  }
  return counts
}

function formatLines(lines: readonly object[]): string {
  return lines.map((each) => `${JSON.stringify(each)}\n`).join('')
}

/** The results of the push: its counts, then each rejected and each skipped item. */
function listPushed({ refusals, left_out, documents, ...counts }: PushReport): object[] {
  return [
    { what: 'push', ...counts },
    ...Object.entries(documents).map(([id, remote_id]) => ({ what: 'document', id, remote_id })),
    ...refusals.map(({ what, id, status }) => ({ what, id, refused: status })),
    ...left_out.map(({ what, id, name, why }) => ({ what, id, name, left_out: why })),
  ]
}

async function* listTokens(engine: OwnersEngine): AsyncGenerator<Token[]> {
  let start: string | undefined
  do {
    const { data, pagination } = await engine.as(owner).tokens.list({ size: PAGE_SIZE, start })
    yield data
    start = pagination.next
  } while (start !== undefined)
}

async function fetchToken(id: string, target: PushTarget): Promise<Answer> {
  const { status, json } = await fetchAnswer(target, `/tokens/${encodeURIComponent(id)}`)
  return { status, token: status === 200 ? remoteToken.safeParse(json).data : undefined }
}

/**
 * Reads the plaintext of tokens that the server shows otherwise than masked as here. It tells a key that reveals data
 * from a server that masks differently.
 */
async function readPlaintext(
  engine: OwnersEngine,
  tokens: readonly Token[],
  answers: readonly Answer[],
): Promise<Map<string, unknown>> {
  const ids = tokens
    .filter(({ data }, at) => isShownDifferently(data, answers[at]?.token?.data))
    .map(({ id }) => id)
  const plaintext = new Map<string, unknown>()
  for await (const page of exportSelected(engine, true, ids))
    for (const { id, data } of page.tokens) plaintext.set(id, toPlainJson(data))
  return plaintext
}

/** Whether data is shown on the server, and not as it is masked here. */
function isShownDifferently(here: unknown, there: unknown): boolean {
  return there !== undefined && there !== null && !isDeepStrictEqual(toPlainJson(here), there)
}

/** Converts numbers that are kept as written to those that a response has. */
function toPlainJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}

function compareToken(token: Token, answer: Answer | undefined, plaintext: unknown): ComparedToken {
  const item = { what: 'token', id: token.id } as const
  const { status = 404, token: remote } = answer ?? {}
  if (status === 404) return { ...item, there: 'missing' }
  if (!remote) return { ...item, there: 'unreadable', status }
  const differences = findDifferences(token, remote)
  // What a key may see is up to its rules: only data that is masked differently is a difference.
  if (
    plaintext !== undefined &&
    isShownDifferently(token.data, remote.data) &&
    !isDeepStrictEqual(plaintext, remote.data)
  )
    differences.push({ member: 'data' })
  return differences.length === 0 ? { ...item, there: 'same' } : { ...item, there: 'different', differences }
}

function findDifferences(here: Token, there: ComparableToken): Difference[] {
  return comparedMembers.flatMap((member) => {
    const own = toComparable(member, toPlainJson(here[member]))
    const remote = toComparable(member, there[member])
    return isDeepStrictEqual(own, remote) ? [] : [describeDifference(member, own, remote)]
  })
}

/** Converts a member to what is compared: servers write an empty value, a time and the order of containers differently. */
function toComparable(member: ComparedMember, value: unknown): unknown {
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0
  if (value === undefined || value === null || isEmpty) return null
  // The fingerprint itself depends on the tenant.
  if (member === 'fingerprint') return true
  if (member === 'containers' && Array.isArray(value)) return value.map(String).toSorted()
  if (member === 'expires_at' && Number.isFinite(Date.parse(String(value))))
    return new Date(String(value)).toISOString()
  return value
}

/**
 * Describes a difference. SECURITY: the values of data, masks, expressions and metadata stay out of the report, since a
 * key may reveal data and a mask may contain it.
 */
function describeDifference(member: ComparedMember, here: unknown, there: unknown): Difference {
  switch (member) {
    case 'type':
    case 'containers':
    case 'expires_at':
    case 'fingerprint':
      return { member, here: toShown(here), there: toShown(there) }
    case 'metadata':
      return { member, keys: listDifferingKeys(here, there) }
    default:
      return { member }
  }
}

const MAX_SHOWN_LENGTH = 400

function toShown(value: unknown): ShownValue {
  if (typeof value === 'boolean') return value
  if (Array.isArray(value)) return value.slice(0, 10).map((each) => String(each).slice(0, MAX_SHOWN_LENGTH))
  return value === null ? null : String(value).slice(0, MAX_SHOWN_LENGTH)
}

function listDifferingKeys(here: unknown, there: unknown): string[] {
  const [own, remote] = [here, there].map((each) => (isObject(each) ? each : {}))
  const keys = new Set([...Object.keys(own ?? {}), ...Object.keys(remote ?? {})])
  return [...keys].filter((key) => !isDeepStrictEqual(own?.[key], remote?.[key])).toSorted()
}

function addToCounts(counts: ComparedCounts, { there, differences = [] }: ComparedToken): void {
  counts[there]++
  for (const { member } of differences) counts.members[member] = (counts.members[member] ?? 0) + 1
}
