import { isObject, type Json, readJson } from '../../../shared/json.ts'
import type { ApiOperation } from '../../parts/api/api-document.ts'
import { getContentType } from '../../parts/api/snippets.ts'
import { handleBackgroundError } from '../../parts/connection/incidents.ts'
import { createOpenCheck, createVaultStore } from '../../parts/connection/store.ts'
import { host, sendCall } from '../../parts/connection/vault.ts'
import type { JsonFault } from '../../ui/text/editor/json-props.ts'
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
type BuilderResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Empty if there is none. JSON is indented. */
  readonly text: string
  /** The size of the body as it was sent, in bytes. */
  readonly bytes: number
  readonly duration_ms: number
  /** What the vault found wrong in the body of the request. */
  readonly faults: readonly JsonFault[]
}

/** The response to the request in the form, and the input that was sent. */
export type FormResponse = BuilderResponse & { readonly of: RequestDraft; readonly trace_id: string }

/** A request to fill the form with, and notes to show with it. */
export type BuilderPrefill = {
  readonly operation: string
  readonly draft: RequestDraft
  readonly notes: readonly string[]
  /** Distinguishes consecutive prefills. */
  readonly number: number
}

export type UnansweredRequest = {
  readonly trace_id: string
  readonly state: 'waiting' | 'cancelled'
  readonly stopWaiting: () => void
}

type BuilderState = {
  readonly through: 'window' | 'listener'
  /** The id of the application that the window sends the request as; null for the owner. */
  readonly as: string | null
  /**
   * The key for requests to the listener, typed by the owner. SECURITY: held in memory only until the vault is locked.
   */
  readonly key: string
  readonly response: FormResponse | null
  /** The request that was sent last: null unless it waits for its response, or was cancelled. */
  readonly unanswered: UnansweredRequest | null
  readonly prefill: BuilderPrefill | null
}

export const useBuilder = createVaultStore<BuilderState>(() => ({
  through: 'window',
  as: null,
  key: '',
  response: null,
  unanswered: null,
  prefill: null,
}))

const { getState, setState } = useBuilder

/** The number of prefills and forms until now. */
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

export function fillVariables(draft: RequestDraft): RequestDraft {
  return fillPlaceholders(draft, getVariables(useDrafts.getState()))
}

/** Clears the response to an earlier form. One that comes later is not shown any more. */
export function startForm(): void {
  number++
  setState({ response: null, unanswered: null })
}

/** Sends the request of the form, and stores it. Resolves once there is a response or the owner cancels the wait. */
export async function sendRequest(operation: ApiOperation, input: RequestDraft): Promise<void> {
  const isOpen = createOpenCheck()
  const sentFrom = number
  const { through, as } = getState()
  const draft = fillVariables(input)
  const headers = through === 'listener' ? createHeaders(operation, draft) : null
  const trace_id = headers?.['svc-trace-id'] ?? crypto.randomUUID()
  const { promise: cancelled, resolve } = Promise.withResolvers<null>()
  const unanswered: UnansweredRequest = {
    trace_id,
    state: 'waiting',
    stopWaiting() {
      resolve(null)
      if (headers) host.cancelRequest({ trace_id }).catch(handleBackgroundError)
    },
  }
  setState({ unanswered })
  const sending = headers
    ? sendThroughListener(operation, draft, headers)
    : sendThroughWindow(operation, draft, as, trace_id)
  try {
    // After a cancellation, nobody waits for the response or its failure.
    const response = await Promise.race([sending, cancelled])
    if (!isOpen()) return
    // The listener replaces a trace ID that is not valid.
    const known = response?.headers['svc-trace-id'] ?? trace_id
    if (number === sentFrom) {
      setState(
        response
          ? { response: { ...response, of: input, trace_id: known }, unanswered: null }
          : { response: null, unanswered: { ...unanswered, state: 'cancelled' } },
      )
    }
    const sent = { ...describeDraft(operation, draft), through, as, trace_id: known }
    await storeSent(response ? { ...sent, status: response.status } : sent)
  } catch (error) {
    if (getState().unanswered === unanswered) setState({ unanswered: null })
    throw error
  }
}

/** Sends a request through the window, and stores it. Returns the status of the response. */
export async function sendDraft(
  operation: ApiOperation,
  draft: RequestDraft,
  as: string | null,
): Promise<number> {
  const trace_id = crypto.randomUUID()
  const { status } = await sendThroughWindow(operation, draft, as, trace_id)
  await storeSent({ ...describeDraft(operation, draft), through: 'window', as, trace_id, status })
  return status
}

/** The part of a stored request that its draft contains. */
export function describeDraft(operation: ApiOperation, draft: RequestDraft) {
  const { id, method } = operation
  return { operation: id, method, path: formatRequestPath(operation, draft), draft }
}

/** Sends a request as an application, or as the owner if `as` is null. */
async function sendThroughWindow(
  operation: ApiOperation,
  draft: RequestDraft,
  as: string | null,
  trace_id: string,
): Promise<BuilderResponse> {
  const started = performance.now()
  const input = toOperationInput(operation, draft)
  const reply = await sendCall({ name: operation.id, input, trace_id, ...(as !== null && { as }) })
  const duration_ms = performance.now() - started
  if (!reply.ok) {
    const { missing: _, ...problem } = reply.problem
    const response = createResponse(JSON.stringify(problem))
    return { ...response, status: problem.status, headers: {}, duration_ms }
  }
  const response = createResponse(operation.status === 204 ? '' : JSON.stringify(reply.output))
  return { ...response, status: operation.status, headers: reply.headers, duration_ms }
}

function createHeaders(operation: ApiOperation, draft: RequestDraft) {
  const { key } = getState()
  const more = Object.fromEntries(parseHeaders(draft).filter((each) => each !== null))
  return {
    ...(key !== '' && { 'svc-api-key': key }),
    ...(operation.body && { 'content-type': getContentType(operation.method) }),
    'svc-trace-id': crypto.randomUUID(),
    ...more,
  }
}

async function sendThroughListener(
  operation: ApiOperation,
  draft: RequestDraft,
  headers: ReturnType<typeof createHeaders>,
): Promise<BuilderResponse> {
  const { body, ...response } = await host.request({
    method: operation.method as 'GET',
    path: formatRequestPath(operation, draft),
    headers,
    ...(operation.body && draft.body !== '' && { body: draft.body }),
  })
  return { ...createResponse(body), ...response }
}

/** Indents a body that is JSON, and reads what the vault found wrong. */
function createResponse(written: string): Pick<BuilderResponse, 'text' | 'bytes' | 'faults'> {
  const bytes = new TextEncoder().encode(written).length
  try {
    const body = readJson(written)
    return { text: JSON.stringify(body, null, 2), bytes, faults: readFaults(body) }
  } catch {
    // Empty, or not JSON.
    return { text: written, bytes, faults: [] }
  }
}

/** The messages of a validation error by member (rule A-05). */
function readFaults(body: Json): JsonFault[] {
  const errors = isObject(body) && isObject(body.errors) ? body.errors : {}
  return Object.entries(errors).map(([path, messages]) => ({
    path,
    message: `${path} ${[messages].flat().join(', ')}`,
  }))
}
