import type { DocumentObject } from '../../../../shared/schemas/document.ts'
import { createRequestGuard } from '../../../parts/connection/request-guard.ts'
import { createVaultState, createVaultStore } from '../../../parts/connection/store.ts'
import { strings } from '../strings.ts'
import { isDrawable } from './image-size.ts'
import { getPreviewKind, MAX_IMAGE_BYTES, MAX_TEXT_BYTES } from './preview.ts'
import { readChunks, revealDocument } from './read-document.ts'

const t = strings.drawer
export const REVEAL_SECONDS = 20

type DocumentPreview =
  | { readonly kind: 'text'; readonly text: string; readonly isCut: boolean }
  | { readonly kind: 'image'; readonly bitmap: ImageBitmap }
  | { readonly kind: 'not shown'; readonly why: string }

type DocumentContentState = {
  /** The id of the document that is revealed or being revealed. */
  readonly id: string | null
  /** SECURITY: plaintext is held only in this store, and no longer than `until`. */
  readonly preview: DocumentPreview | null
  readonly until: number
  readonly problem: unknown
}

export const useContent = createVaultStore<DocumentContentState>(() => ({
  id: null,
  preview: null,
  until: 0,
  problem: null,
}))

const { getState, setState } = useContent
/** Tracks the current reveal, so that the result of a reveal that was hidden in the meantime is dropped. */
const reveals = createRequestGuard()
const hiding = createVaultState<{ timer?: ReturnType<typeof setTimeout> }>(() => ({}))

/** Shows a document's content for a limited time. The vault records the reveal in the log. */
export async function revealContent({ id, content_type }: DocumentObject): Promise<void> {
  const kind = getPreviewKind(content_type)
  // A second press must not record a second reveal.
  if (kind === 'none' || getState().id === id) return
  hideContent()
  const isCurrent = reveals.start()
  setState({ id })
  try {
    const preview = kind === 'image' ? await readImage(id, isCurrent) : await readText(id, isCurrent)
    if (!preview) return
    if (!isCurrent()) return releasePreview(preview)
    setState({ preview, until: Date.now() + REVEAL_SECONDS * 1000 })
    hiding.current.timer = setTimeout(hideContent, REVEAL_SECONDS * 1000)
  } catch (problem) {
    if (isCurrent()) setState({ id: null, problem })
  }
}

export function hideContent(): void {
  reveals.start()
  clearTimeout(hiding.current.timer)
  const { preview } = getState()
  setState({ id: null, preview: null, until: 0, problem: null })
  if (preview) releasePreview(preview)
}

function releasePreview(preview: DocumentPreview): void {
  if (preview.kind === 'image') preview.bitmap.close()
}

async function readText(id: string, isCurrent: () => boolean): Promise<DocumentPreview | null> {
  const revealed = await revealDocument(id)
  const chunks = await readChunks(revealed, { maxBytes: MAX_TEXT_BYTES, isCurrent })
  const [first] = chunks ?? []
  if (!first) return null
  const isCut = revealed.bytes > MAX_TEXT_BYTES
  const text = new TextDecoder().decode(first.subarray(0, MAX_TEXT_BYTES), { stream: isCut })
  return { kind: 'text', text, isCut }
}

/** Decodes an image to a bitmap. SECURITY: the image has no URL, and only its pixels are kept. */
async function readImage(id: string, isCurrent: () => boolean): Promise<DocumentPreview | null> {
  const revealed = await revealDocument(id)
  if (revealed.bytes > MAX_IMAGE_BYTES) return { kind: 'not shown', why: t.large }
  const chunks = await readChunks(revealed, { isCurrent })
  if (!chunks) return null
  const blob = new Blob(chunks)
  const drawable = isDrawable(new Uint8Array(await blob.arrayBuffer()))
  if (drawable === null) return { kind: 'not shown', why: t.notImage }
  if (!drawable) return { kind: 'not shown', why: t.large }
  try {
    return { kind: 'image', bitmap: await createImageBitmap(blob) }
  } catch {
    // The image is damaged.
    return { kind: 'not shown', why: t.notImage }
  }
}
