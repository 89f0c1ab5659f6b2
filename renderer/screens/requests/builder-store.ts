import { type Json, readJson } from '../../../shared/json.ts'
import type { ApiOperation } from '../../parts/api/api-document.ts'
import { contentTypeOf } from '../../parts/api/snippets.ts'
import { vaultStore, whileOpen } from '../../parts/connection/store.ts'
import { host, send } from '../../parts/connection/vault.ts'
import { keepSent, useDrafts, variablesIn } from './drafts-store.ts'
import type { KeptRequest } from './kept-request.ts'
import { filledIn, headersIn, inputOf, pathOf, type RequestDraft } from './request-draft.ts'
import { strings } from './strings.ts'

/** The response, from the window or from the listener. */
export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Undefined if there is none; a string if it is not JSON. */
  readonly body: Json | undefined
  readonly duration_ms: number
}

/** A request to fill the form with, and what to say about it. */
export type Begun = {
  readonly operation: string
  readonly draft: RequestDraft
  readonly notes: readonly string[]
  /** Tells one from the next. */
  readonly number: number
}

type Builder = {
  readonly through: 'window' | 'listener'
  /** Who sends the request through the window; null for the owner. */
  readonly as: string | null
  /** SECURITY: typed by the owner, kept until the vault is locked. */
  readonly key: string
  readonly answer: Answer | null
  readonly begun: Begun | null
}

export const useBuilder = vaultStore<Builder>(() => ({
  through: 'window',
  as: null,
  key: '',
  answer: null,
  begun: null,
}))

const { getState, setState } = useBuilder

let number = 0

/** Fills the form with a request, in place of what is in it. */
export function begin(operation: string, draft: RequestDraft, notes: readonly string[] = []): void {
  setState({ begun: { operation, draft, notes, number: ++number } })
}

/** Fills the form with a kept request, to be sent as it was. */
export function beginKept({ operation, draft, through, as, without_body }: KeptRequest): void {
  setState({ through, as })
  begin(operation, draft, without_body ? [strings.build.bodyNotKept] : [])
}

/** What is sent of a draft: with the variables of the environment filled in. */
export function toSend(draft: RequestDraft): RequestDraft {
  return filledIn(draft, variablesIn(useDrafts.getState()))
}

/** Sends a request, stores the response, and keeps what was sent. */
export async function sendRequest(operation: ApiOperation, typed: RequestDraft): Promise<void> {
  const isOpen = whileOpen()
  const { through, as } = getState()
  const draft = toSend(typed)
  const { trace_id, answer } =
    through === 'window' ? await throughWindow(operation, draft) : await throughListener(operation, draft)
  if (!isOpen()) return
  setState({ answer })
  await keepSent({
    operation: operation.id,
    method: operation.method,
    path: pathOf(operation, draft),
    draft,
    through,
    as,
    trace_id,
    status: answer.status,
  })
}

type Sent = { readonly trace_id: string; readonly answer: Answer }

async function throughWindow(operation: ApiOperation, draft: RequestDraft): Promise<Sent> {
  const { as } = getState()
  const started = performance.now()
  const input = inputOf(operation, draft)
  const trace_id = crypto.randomUUID()
  const reply = await send({ name: operation.id, input, trace_id, ...(as !== null && { as }) })
  const duration_ms = performance.now() - started
  if (!reply.ok) {
    const { missing: _, ...body } = reply.problem
    return { trace_id, answer: { status: body.status, headers: {}, body, duration_ms } }
  }
  const body = operation.status === 204 ? undefined : (reply.output as Json)
  return { trace_id, answer: { status: operation.status, headers: reply.headers, body, duration_ms } }
}

async function throughListener(operation: ApiOperation, draft: RequestDraft): Promise<Sent> {
  const { key } = getState()
  const { method } = operation
  const more = Object.fromEntries(headersIn(draft).filter((each) => each !== null))
  const headers = {
    ...(key !== '' && { 'svc-api-key': key }),
    ...(operation.body && { 'content-type': contentTypeOf(method) }),
    'svc-trace-id': crypto.randomUUID(),
    ...more,
  }
  const answer = await host.host.request({
    method: method as 'GET',
    path: pathOf(operation, draft),
    headers,
    ...(operation.body && draft.body !== '' && { body: draft.body }),
  })
  return {
    trace_id: answer.headers['svc-trace-id'] ?? headers['svc-trace-id'],
    answer: { ...answer, body: answer.body === '' ? undefined : parsed(answer.body) },
  }
}

function parsed(text: string): Json {
  try {
    return readJson(text)
  } catch {
    return text
  }
}
