import { MAX_DRAFT_LENGTH } from '../../../shared/schemas/draft.ts'
import { sentHeaders } from './import-curl.ts'
import { parseHeaders, type RequestDraft } from './request-draft.ts'

/** A stored request, sent or saved. SECURITY: it never contains the key, and the vault seals it. */
export type RequestSnapshot = {
  /** The operation id, such as `tokens.create`. */
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly draft: RequestDraft
  readonly through: 'window' | 'listener'
  readonly as: string | null
  /** Only for saved requests. */
  readonly name?: string
  /** Only for sent requests. */
  readonly trace_id?: string
  readonly status?: number
  /** The body was too large to store. */
  readonly without_body?: true
}

/** Serializes a request for the vault; omits a body that is too large. */
export function serializeSnapshot(snapshot: RequestSnapshot): string {
  const request = { ...snapshot, draft: removeSecrets(snapshot.draft) }
  const content = JSON.stringify(request)
  if (content.length <= MAX_DRAFT_LENGTH) return content
  return JSON.stringify({ ...request, draft: { ...request.draft, body: '' }, without_body: true })
}

/** SECURITY: an additional header may contain a key or a password, so only the headers in `sentHeaders` are stored. */
function removeSecrets(draft: RequestDraft): RequestDraft {
  const { headers, ...rest } = draft
  if (headers === undefined) return draft
  const lines = parseHeaders(draft).flatMap((header) =>
    header !== null && sentHeaders.some((name) => name === header[0]) ? [header.join(': ')] : [],
  )
  return { ...rest, headers: lines.join('\n') }
}

/** Parses a stored request; null if the text is not one. */
export function parseSnapshot(content: string): RequestSnapshot | null {
  try {
    const snapshot = JSON.parse(content) as RequestSnapshot
    return typeof snapshot.operation === 'string' && typeof snapshot.draft?.body === 'string'
      ? snapshot
      : null
  } catch {
    // Written by another version.
    return null
  }
}
