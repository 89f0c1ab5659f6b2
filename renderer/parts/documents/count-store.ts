import { keepCurrent } from '../connection/change-subscription.ts'
import { createRequestGuard } from '../connection/request-guard.ts'
import { createVaultStore } from '../connection/store.ts'
import { vault } from '../connection/vault.ts'

type DocumentCount = Awaited<ReturnType<typeof vault.documents.count>>

/** The number of documents in the vault and their total size in bytes; null until loaded. */
export const useDocumentCount = createVaultStore<{ readonly counted: DocumentCount | null }>(() => ({
  counted: null,
}))

const readings = createRequestGuard()

export async function loadDocumentCount(): Promise<void> {
  const isCurrent = readings.repeat()
  const counted = await vault.documents.count()
  if (isCurrent()) useDocumentCount.setState({ counted })
}

export const followDocumentCount = (): (() => void) => keepCurrent(loadDocumentCount, ['document'])
