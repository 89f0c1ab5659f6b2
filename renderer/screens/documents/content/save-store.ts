import type { DocumentObject } from '../../../../shared/schemas/document.ts'
import { latest } from '../../../parts/connection/latest.ts'
import { vaultStore } from '../../../parts/connection/store.ts'
import { toast } from '../../../parts/messages/toast.tsx'
import { saveBlob } from '../../../ui/text/save-text.ts'
import { strings } from '../strings.ts'
import { fileNameOf } from './file-name.ts'
import { readPieces, reveal } from './read-document.ts'

type Save = {
  /** The document being downloaded; null for none. */
  readonly id: string | null
  /** From 0 to 1. */
  readonly done: number
}

/** The download under way. It continues while the owner visits other screens, and ends when the vault is locked. */
export const useSave = vaultStore<Save>(() => ({ id: null, done: 0 }))

const { getState, setState } = useSave
const saves = latest()

/** Downloads a document, unless a download is under way; the log records it as a reveal. */
export async function saveDocument(document: DocumentObject): Promise<void> {
  if (getState().id !== null) return
  const isWanted = saves.begin()
  setState({ id: document.id, done: 0 })
  try {
    const revealed = await reveal(document.id)
    const onProgress = (length: number) => {
      if (isWanted()) setState({ done: length / revealed.bytes })
    }
    const pieces = await readPieces(revealed, { isWanted, onProgress })
    if (!pieces) return
    // SECURITY: of no type that a browser opens.
    saveBlob(fileNameOf(document), new Blob(pieces, { type: 'application/octet-stream' }))
    toast(strings.drawer.downloaded)
  } finally {
    if (isWanted()) setState({ id: null, done: 0 })
  }
}

/** Ends the download. */
export function stopSaving(): void {
  saves.begin()
  setState({ id: null, done: 0 })
}
