import { keepCurrent } from '../connection/change-subscription.ts'
import { createRequestGuard } from '../connection/request-guard.ts'
import { createVaultStore } from '../connection/store.ts'
import { vault } from '../connection/vault.ts'

type DocumentCount = Awaited<ReturnType<typeof vault.documents.count>>

/** How many documents there are and how many bytes they hold, as the owner sees them; null until it is known. */
export const useDocumentCount = createVaultStore<{ readonly counted: DocumentCount | null }>(() => ({
  counted: null,
}))

const readings = createRequestGuard()

/** Counts again. */
export async function loadDocumentCount(): Promise<void> {
  const isCurrent = readings.repeat()
  const counted = await vault.documents.count()
  if (isCurrent()) useDocumentCount.setState({ counted })
}

/** Keeps the count current; returns a function that stops it. */
export const followDocumentCount = (): (() => void) => keepCurrent(loadDocumentCount, ['document'])
