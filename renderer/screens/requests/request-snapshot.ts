import { MAX_DRAFT_LENGTH } from '../../../shared/schemas/draft.ts'
import { sentHeaders } from './import-curl.ts'
import { parseHeaders, type RequestDraft } from './request-draft.ts'

/** What is kept of a request that was sent or saved. SECURITY: never the key; the vault seals the rest. */
export type RequestSnapshot = {
  /** The name in the catalogue, such as `tokens.create`. */
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly draft: RequestDraft
  readonly through: 'window' | 'listener'
  readonly as: string | null
  /** Of a saved request. */
  readonly name?: string
  /** Of one that was sent. */
  readonly trace_id?: string
  readonly status?: number
  /** The body was too large to be kept. */
  readonly without_body?: true
}

/** The JSON that the vault keeps of a request; without a body that is too large. */
export function serializeSnapshot(snapshot: RequestSnapshot): string {
  const request = { ...snapshot, draft: removeSecrets(snapshot.draft) }
  const content = JSON.stringify(request)
  if (content.length <= MAX_DRAFT_LENGTH) return content
  return JSON.stringify({ ...request, draft: { ...request.draft, body: '' }, without_body: true })
}

/** SECURITY: a key or password may have been typed as one more header. Those that cannot be sent are not kept. */
function removeSecrets(draft: RequestDraft): RequestDraft {
  const { headers, ...rest } = draft
  if (headers === undefined) return draft
  const lines = parseHeaders(draft).flatMap((header) =>
    header !== null && sentHeaders.some((name) => name === header[0]) ? [header.join(': ')] : [],
  )
  return { ...rest, headers: lines.join('\n') }
}

/** A request that was kept, or null if the text is none. */
export function parseSnapshot(content: string): RequestSnapshot | null {
  try {
    const snapshot = JSON.parse(content) as RequestSnapshot
    return typeof snapshot.operation === 'string' && typeof snapshot.draft?.body === 'string'
      ? snapshot
      : null
  } catch {
    // Of another version.
    return null
  }
}
