import { type Json, readJson } from '../../../shared/json.ts'
import type { ApiOperation } from '../../parts/api/api-document.ts'
import { contentTypeOf } from '../../parts/api/snippets.ts'
import { vaultStore, whileOpen } from '../../parts/connection/store.ts'
import { host, send } from '../../parts/connection/vault.ts'
import { inputOf, pathOf, type RequestDraft } from './request-draft.ts'

/** The response, from the window or from the listener. */
export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Undefined if there is none; a string if it is not JSON. */
  readonly body: Json | undefined
  readonly duration_ms: number
}

type Builder = {
  readonly through: 'window' | 'listener'
  /** Who sends the request through the window; null for the owner. */
  readonly as: string | null
  /** SECURITY: typed by the owner, kept until the vault is locked. */
  readonly key: string
  readonly answer: Answer | null
}

export const useBuilder = vaultStore<Builder>(() => ({
  through: 'window',
  as: null,
  key: '',
  answer: null,
}))

const { getState, setState } = useBuilder

/** Sends a request and stores the response. */
export async function sendRequest(operation: ApiOperation, draft: RequestDraft): Promise<void> {
  const isOpen = whileOpen()
  const { through } = getState()
  const answer =
    through === 'window' ? await throughWindow(operation, draft) : await throughListener(operation, draft)
  if (isOpen()) setState({ answer })
}

async function throughWindow(operation: ApiOperation, draft: RequestDraft): Promise<Answer> {
  const { as } = getState()
  const started = performance.now()
  const input = inputOf(operation, draft)
  const reply = await send({ name: operation.id, input, ...(as !== null && { as }) })
  const duration_ms = performance.now() - started
  if (!reply.ok) {
    const { missing: _, ...body } = reply.problem
    return { status: body.status, headers: {}, body, duration_ms }
  }
  const body = operation.status === 204 ? undefined : (reply.output as Json)
  return { status: operation.status, headers: reply.headers, body, duration_ms }
}

async function throughListener(operation: ApiOperation, draft: RequestDraft): Promise<Answer> {
  const { key } = getState()
  const { method } = operation
  const answer = await host.host.request({
    method: method as 'GET',
    path: pathOf(operation, draft),
    headers: {
      ...(key !== '' && { 'svc-api-key': key }),
      ...(operation.body && { 'content-type': contentTypeOf(method) }),
    },
    ...(operation.body && { body: draft.body }),
  })
  return { ...answer, body: answer.body === '' ? undefined : parsed(answer.body) }
}

function parsed(text: string): Json {
  try {
    return readJson(text)
  } catch {
    return text
  }
}
