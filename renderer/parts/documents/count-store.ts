import { keepCurrent } from '../connection/follow.ts'
import { latest } from '../connection/latest.ts'
import { vaultStore } from '../connection/store.ts'
import { vault } from '../connection/vault.ts'

type Counted = Awaited<ReturnType<typeof vault.documents.count>>

/** How many documents there are and how many bytes they hold, as the owner sees them; null until it is known. */
export const useDocumentCount = vaultStore<{ readonly counted: Counted | null }>(() => ({ counted: null }))

const readings = latest()

/** Counts again. */
export async function loadDocumentCount(): Promise<void> {
  const isWanted = readings.again()
  const counted = await vault.documents.count()
  if (isWanted()) useDocumentCount.setState({ counted })
}

/** Keeps the count current; returns a function that stops it. */
export const followDocumentCount = (): (() => void) => keepCurrent(loadDocumentCount, ['document'])
