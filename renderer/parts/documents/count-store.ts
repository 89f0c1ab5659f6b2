import { createFollowedValue } from '../connection/followed-value.ts'
import { vault } from '../connection/vault.ts'

type DocumentCount = Awaited<ReturnType<typeof vault.documents.count>>

/** The number of documents in the vault and their total size in bytes; null until loaded. */
const documentCount = createFollowedValue<{ readonly counted: DocumentCount | null }>(
  { counted: null },
  ['document'],
  async () => ({ counted: await vault.documents.count() }),
)
export const {
  useValue: useDocumentCount,
  load: loadDocumentCount,
  follow: followDocumentCount,
} = documentCount
