import { escapePattern } from '../../../../shared/conditions.ts'
import type { PaletteHit, PaletteKind } from '../../../../shared/schemas/palette.ts'
import { formatIsoTime } from '../../../../shared/time.ts'
import { findTypesByName } from '../../../../shared/token-types.ts'
import type { Context } from '../../pipeline/context.ts'
import { toLogId } from '../../pipeline/log-id.ts'
import { listAgents } from '../agentic/store.ts'
import { readMatchingRows } from '../crud.ts'
import { listDocumentsBefore } from '../documents/store.ts'
import type { LogFilter } from '../logs/filter.ts'
import { searchPage } from '../logs/pages.ts'
import { toLog } from '../logs/present.ts'
import { listSessions } from '../sessions/store.ts'
import { listMerchants } from '../tenants/merchants/store.ts'
import { findLast4 } from '../three-ds/card.ts'
import { openContent } from '../three-ds/content.ts'
import { toPage } from '../three-ds/present.ts'
import { listThreeDs } from '../three-ds/store.ts'
import { toTokenIntent } from '../tokens/intents/present.ts'
import { listTokenIntents } from '../tokens/intents/store.ts'
import { listDeliveries } from '../webhooks/deliveries/store.ts'
import { listWebhooks, MAX_WEBHOOKS } from '../webhooks/store.ts'
import { mayRead, type Viewer } from './viewer.ts'

/** The maximum numbers of hits in each group, and of rows that are read for it (rule R-03). */
const MAX_HITS = 5
const MAX_ROWS = 200
/** The minimum length of a text that may match inside a name, or the beginning of an id. */
const MIN_NAME_LENGTH = 2
const MIN_ID_LENGTH = 5

type HitGroup = { kind: PaletteKind; hits: PaletteHit[]; total: number | null }

/** Finds what else a text names among the newest rows of each resource. */
export function findHits(context: Context, viewer: Viewer, text: string): HitGroup[] {
  const groups = []
  if (mayRead(viewer, 'log:read')) groups.push(findRequests(context, text))
  if (mayRead(viewer, 'documents:read')) groups.push(findDocuments(context, text))
  // No key lists what follows, so that an application's view does not have it.
  if (viewer === null) {
    groups.push(
      findThreeDs(context, text),
      findSessions(context, text),
      findIntents(context, text),
      findMerchants(context, text),
      findAgents(context, text),
      findDeliveries(context, text),
    )
  }
  return groups
}

/** Whether a text begins an id, or is inside one of the names. */
function isNamed(text: string, id: string, names: readonly string[]): boolean {
  const wanted = text.toLowerCase()
  if (text.length >= MIN_ID_LENGTH && id.startsWith(wanted)) return true
  return text.length >= MIN_NAME_LENGTH && names.some((name) => name.toLowerCase().includes(wanted))
}

/** Reads the newest rows that `present` does not leave out. The total is known if those are all rows. */
function findNewest<Row extends { readonly seq: number }>(
  kind: PaletteKind,
  list: (limit: number, before: number | null) => readonly Row[],
  present: (row: Row) => PaletteHit | null,
): HitGroup {
  const { data, next } = readMatchingRows({ size: MAX_HITS, before: null, scanned: MAX_ROWS }, list, present)
  return { kind, hits: data, total: next === null ? data.length : null }
}

/** The records of a status, an action, a path, or the beginning of an id. */
function findRequests(context: Context, text: string): HitGroup {
  const filter = toLogFilter(context, text)
  if (!filter) return { kind: 'request', hits: [], total: 0 }
  context.flushLog()
  const page = searchPage(context.db, filter, { after: null, page: 1, size: MAX_HITS })
  const hits = page.rows.map((row): PaletteHit => {
    const { id, method, path, action, status, code, created_at } = toLog(row, context.tenant_id)
    const name = `${status} ${method === undefined ? action : `${method} ${path}`}`
    return { id, name, ...(code !== undefined && { detail: code }), at: created_at }
  })
  return { kind: 'request', hits, total: page.total }
}

function toLogFilter({ keyring }: Context, text: string): LogFilter | null {
  if (/^[1-5](\d\d|xx)$/i.test(text)) return { status: text.toLowerCase() }
  if (/^\/[a-z]/i.test(text)) return { where: [{ field: 'path', value: `${escapePattern(text)}*` }] }
  const isAction = /^[a-z]+\.[a-z]*$/i.test(text)
  const isId = /^[\da-f]{8}-/i.test(text)
  return isAction || isId ? { q: { typed: text, id: toLogId(text, keyring) }, by_owner: true } : null
}

function findDocuments({ db }: Context, text: string): HitGroup {
  return findNewest(
    'document',
    (limit, before) => listDocumentsBefore(db, before ?? Number.MAX_SAFE_INTEGER, limit),
    ({ id, metadata, content_type, created_at }) => {
      const values = Object.values<string>(JSON.parse(metadata))
      if (!isNamed(text, id, [...values, content_type])) return null
      return { id, name: values[0] ?? id, detail: content_type, at: formatIsoTime(created_at) }
    },
  )
}

function findThreeDs(context: Context, text: string): HitGroup {
  const { db, now } = context
  return findNewest(
    'three_ds_session',
    (limit, before) => listThreeDs(db, now, limit, before),
    (row) => {
      const opened = { row, content: openContent(context, row) }
      const { card_brand, merchant } = toPage(context, opened)
      const last4 = findLast4(context, opened.content) ?? ''
      if (!isNamed(text, row.id, [last4, merchant ?? ''])) return null
      const name = last4 === '' ? card_brand : `${card_brand} •••• ${last4}`
      return { id: row.id, name, at: formatIsoTime(row.created_at), ...(merchant && { detail: merchant }) }
    },
  )
}

function findSessions({ db, now }: Context, text: string): HitGroup {
  return findNewest(
    'session',
    (limit, before) => listSessions(db, now, limit, before),
    ({ id, created_at }) => (isNamed(text, id, []) ? { id, name: id, at: formatIsoTime(created_at) } : null),
  )
}

function findIntents(context: Context, text: string): HitGroup {
  const types: readonly string[] = text.length < MIN_NAME_LENGTH ? [] : findTypesByName(text)
  return findNewest(
    'token_intent',
    (limit, before) => listTokenIntents(context.db, context.now, limit, before),
    (row) => {
      const { id, type, card, created_at } = toTokenIntent(context, row)
      if (!types.includes(type) && !isNamed(text, id, [card?.last4 ?? ''])) return null
      return { id, type, name: card ? `•••• ${card.last4}` : id, at: created_at }
    },
  )
}

function findMerchants({ db }: Context, text: string): HitGroup {
  const { rows, total } = listMerchants(db, MAX_ROWS, 0)
  return findNamed('merchant', text, rows, total)
}

function findAgents({ db }: Context, text: string): HitGroup {
  const rows = listAgents(db, MAX_ROWS)
  return findNamed('agent', text, rows, rows.length < MAX_ROWS ? rows.length : null)
}

function findNamed(
  kind: PaletteKind,
  text: string,
  rows: readonly { readonly id: string; readonly name: string }[],
  all: number | null,
): HitGroup {
  const found = rows.filter(({ id, name }) => isNamed(text, id, [name]))
  const hits = found.slice(0, MAX_HITS).map(({ id, name }) => ({ id, name }))
  return { kind, hits, total: all === rows.length ? found.length : null }
}

/** The deliveries of an event, in a state, or with an id. */
function findDeliveries({ db }: Context, text: string): HitGroup {
  const wanted = text.toLowerCase()
  const groups = listWebhooks(db, MAX_WEBHOOKS, null).map(({ seq }) =>
    findNewest(
      'delivery',
      (limit, before) => listDeliveries(db, seq, limit, before),
      (row) => {
        const { state, type, event_id, trace_id, webhook_id, url, created_at } = row
        const isMeant = state === wanted || (wanted.includes('.') && type.startsWith(wanted))
        if (!isMeant && !isNamed(text, event_id, []) && !isNamed(text, trace_id, [])) return null
        const name = `${type} ${state}`
        return { id: String(row.seq), name, detail: url, at: formatIsoTime(created_at), webhook_id }
      },
    ),
  )
  const isCounted = groups.every(({ total }) => total !== null)
  return {
    kind: 'delivery',
    hits: groups
      .flatMap(({ hits }) => hits)
      .sort((a, b) => Number(b.id) - Number(a.id))
      .slice(0, MAX_HITS),
    total: isCounted ? groups.reduce((sum, { total }) => sum + (total ?? 0), 0) : null,
  }
}
