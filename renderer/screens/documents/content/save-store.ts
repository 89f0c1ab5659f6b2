import type { DocumentObject } from '../../../../shared/schemas/document.ts'
import { createRequestGuard } from '../../../parts/connection/request-guard.ts'
import { createVaultStore } from '../../../parts/connection/store.ts'
import { showToast } from '../../../parts/messages/toast.tsx'
import { saveBlob } from '../../../ui/text/save-text.ts'
import { strings } from '../strings.ts'
import { formatFileName } from './file-name.ts'
import { readChunks, revealDocument } from './read-document.ts'

type SaveState = {
  /** The id of the document being downloaded; null if there is none. */
  readonly id: string | null
  /** Progress from 0 to 1. */
  readonly done: number
}

/** The current download. It continues on other screens, and ends when the vault is locked. */
export const useSave = createVaultStore<SaveState>(() => ({ id: null, done: 0 }))

const { getState, setState } = useSave
const saves = createRequestGuard()

/** Downloads a document, unless a download is in progress. The vault logs it as a reveal. */
export async function saveDocument(document: DocumentObject): Promise<void> {
  if (getState().id !== null) return
  const isCurrent = saves.start()
  setState({ id: document.id, done: 0 })
  try {
    const revealed = await revealDocument(document.id)
    const onProgress = (length: number) => {
      if (isCurrent()) setState({ done: length / revealed.bytes })
    }
    const chunks = await readChunks(revealed, { isCurrent, onProgress })
    if (!chunks) return
    // SECURITY: use a type that browsers save instead of opening.
    saveBlob(formatFileName(document), new Blob(chunks, { type: 'application/octet-stream' }))
    showToast(strings.drawer.downloaded)
  } finally {
    if (isCurrent()) setState({ id: null, done: 0 })
  }
}

export function stopSaving(): void {
  saves.start()
  setState({ id: null, done: 0 })
}
