import { type Json, readJson } from '../../../shared/json.ts'
import type { ApiOperation } from '../../parts/api/api-document.ts'
import { getContentType } from '../../parts/api/snippets.ts'
import { createOpenCheck, createVaultStore } from '../../parts/connection/store.ts'
import { host, sendCall } from '../../parts/connection/vault.ts'
import { getVariables, storeSent, useDrafts } from './drafts-store.ts'
import {
  fillPlaceholders,
  formatRequestPath,
  parseHeaders,
  type RequestDraft,
  toOperationInput,
} from './request-draft.ts'
import type { RequestSnapshot } from './request-snapshot.ts'
import { strings } from './strings.ts'

/** The response, whether the request went through the window or the listener. */
export type BuilderResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Undefined if there is none; a string if it is not JSON. */
  readonly body: Json | undefined
  readonly duration_ms: number
}

/** A request to fill the form with, and notes to show with it. */
export type BuilderPrefill = {
  readonly operation: string
  readonly draft: RequestDraft
  readonly notes: readonly string[]
  /** Distinguishes consecutive prefills. */
  readonly number: number
}

type BuilderState = {
  readonly through: 'window' | 'listener'
  /** The id of the application that the window sends the request as; null for the owner. */
  readonly as: string | null
  /**
   * The key for requests to the listener, typed by the owner. SECURITY: held in memory only until the vault is locked.
   */
  readonly key: string
  readonly response: BuilderResponse | null
  readonly prefill: BuilderPrefill | null
}

export const useBuilder = createVaultStore<BuilderState>(() => ({
  through: 'window',
  as: null,
  key: '',
  response: null,
  prefill: null,
}))

const { getState, setState } = useBuilder

let number = 0

/** Replaces the form's content with a request. */
export function prefillRequest(operation: string, draft: RequestDraft, notes: readonly string[] = []): void {
  setState({ prefill: { operation, draft, notes, number: ++number } })
}

/** Replaces the form's content with a stored request, to send it again unchanged. */
export function prefillStored({ operation, draft, through, as, without_body }: RequestSnapshot): void {
  setState({ through, as })
  prefillRequest(operation, draft, without_body ? [strings.build.bodyNotKept] : [])
}

/** Fills in the variables of the selected environment. */
export function fillVariables(draft: RequestDraft): RequestDraft {
  return fillPlaceholders(draft, getVariables(useDrafts.getState()))
}

export async function sendRequest(operation: ApiOperation, input: RequestDraft): Promise<void> {
  const isOpen = createOpenCheck()
  const { through, as } = getState()
  const draft = fillVariables(input)
  const { trace_id, response } =
    through === 'window'
      ? await sendThroughWindow(operation, draft)
      : await sendThroughListener(operation, draft)
  if (!isOpen()) return
  setState({ response })
  await storeSent({
    operation: operation.id,
    method: operation.method,
    path: formatRequestPath(operation, draft),
    draft,
    through,
    as,
    trace_id,
    status: response.status,
  })
}

type SentRequest = { readonly trace_id: string; readonly response: BuilderResponse }

async function sendThroughWindow(operation: ApiOperation, draft: RequestDraft): Promise<SentRequest> {
  const { as } = getState()
  const started = performance.now()
  const input = toOperationInput(operation, draft)
  const trace_id = crypto.randomUUID()
  const reply = await sendCall({ name: operation.id, input, trace_id, ...(as !== null && { as }) })
  const duration_ms = performance.now() - started
  if (!reply.ok) {
    const { missing: _, ...body } = reply.problem
    return { trace_id, response: { status: body.status, headers: {}, body, duration_ms } }
  }
  const body = operation.status === 204 ? undefined : (reply.output as Json)
  return { trace_id, response: { status: operation.status, headers: reply.headers, body, duration_ms } }
}

async function sendThroughListener(operation: ApiOperation, draft: RequestDraft): Promise<SentRequest> {
  const { key } = getState()
  const { method } = operation
  const more = Object.fromEntries(parseHeaders(draft).filter((each) => each !== null))
  const headers = {
    ...(key !== '' && { 'svc-api-key': key }),
    ...(operation.body && { 'content-type': getContentType(method) }),
    'svc-trace-id': crypto.randomUUID(),
    ...more,
  }
  const response = await host.request({
    method: method as 'GET',
    path: formatRequestPath(operation, draft),
    headers,
    ...(operation.body && draft.body !== '' && { body: draft.body }),
  })
  return {
    trace_id: response.headers['svc-trace-id'] ?? headers['svc-trace-id'],
    response: { ...response, body: response.body === '' ? undefined : parseBody(response.body) },
  }
}

function parseBody(text: string): Json {
  try {
    return readJson(text)
  } catch {
    return text
  }
}
