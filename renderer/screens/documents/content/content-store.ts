import type { DocumentObject } from '../../../../shared/schemas/document.ts'
import { latest } from '../../../parts/connection/latest.ts'
import { vaultStore } from '../../../parts/connection/store.ts'
import { strings } from '../strings.ts'
import { isDrawable } from './image-size.ts'
import { MOST_IMAGE, MOST_TEXT, previewOf } from './preview.ts'
import { readPieces, reveal } from './read-document.ts'

const t = strings.drawer
export const REVEAL_SECONDS = 20

type Shown =
  | { readonly kind: 'text'; readonly text: string; readonly isCut: boolean }
  | { readonly kind: 'image'; readonly bitmap: ImageBitmap }
  | { readonly kind: 'not shown'; readonly why: string }

type Content = {
  /** The document that is revealed, or is about to be. */
  readonly id: string | null
  /** SECURITY: plaintext is kept only here, and no longer than `until`. */
  readonly shown: Shown | null
  readonly until: number
  readonly problem: unknown
}

export const useContent = vaultStore<Content>(() => ({ id: null, shown: null, until: 0, problem: null }))

const { getState, setState } = useContent
/** Tracks the current reveal, so that one that was hidden meanwhile is dropped. */
const reveals = latest()
let timer: ReturnType<typeof setTimeout> | undefined

/** Shows the content of a document for a limited time; the vault records it in the log. */
export async function revealContent({ id, content_type }: DocumentObject): Promise<void> {
  const kind = previewOf(content_type)
  // A second press must not record a second reveal.
  if (kind === 'none' || getState().id === id) return
  hideContent()
  const isWanted = reveals.begin()
  setState({ id })
  try {
    const shown = kind === 'image' ? await imageOf(id, isWanted) : await textOf(id, isWanted)
    if (!shown) return
    if (!isWanted()) return drop(shown)
    setState({ shown, until: Date.now() + REVEAL_SECONDS * 1000 })
    timer = setTimeout(hideContent, REVEAL_SECONDS * 1000)
  } catch (problem) {
    if (isWanted()) setState({ id: null, problem })
  }
}

/** Hides the content again. */
export function hideContent(): void {
  reveals.begin()
  clearTimeout(timer)
  const { shown } = getState()
  setState({ id: null, shown: null, until: 0, problem: null })
  if (shown) drop(shown)
}

function drop(shown: Shown): void {
  if (shown.kind === 'image') shown.bitmap.close()
}

async function textOf(id: string, isWanted: () => boolean): Promise<Shown | null> {
  const revealed = await reveal(id)
  const pieces = await readPieces(revealed, { most: MOST_TEXT, isWanted })
  const [first] = pieces ?? []
  if (!first) return null
  const isCut = revealed.bytes > MOST_TEXT
  const text = new TextDecoder().decode(first.subarray(0, MOST_TEXT), { stream: isCut })
  return { kind: 'text', text, isCut }
}

/** Draws an image to a bitmap. SECURITY: there is no address of it, and only pixels are kept. */
async function imageOf(id: string, isWanted: () => boolean): Promise<Shown | null> {
  const revealed = await reveal(id)
  if (revealed.bytes > MOST_IMAGE) return { kind: 'not shown', why: t.large }
  const pieces = await readPieces(revealed, { isWanted })
  if (!pieces) return null
  const blob = new Blob(pieces)
  const drawable = isDrawable(new Uint8Array(await blob.arrayBuffer()))
  if (drawable === null) return { kind: 'not shown', why: t.notImage }
  if (!drawable) return { kind: 'not shown', why: t.large }
  try {
    return { kind: 'image', bitmap: await createImageBitmap(blob) }
  } catch {
    // It is damaged.
    return { kind: 'not shown', why: t.notImage }
  }
}
