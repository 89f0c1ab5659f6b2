import type { Client } from '../../../shared/client.ts'
import type { Operations } from '../../engine/operations.ts'
import type { Caller } from '../../engine/pipeline/call.ts'

/**
 * The functions of a vault that import, export and push use: an engine of this process, or one in another process.
 */
export type OwnersEngine = {
  readonly tenant_id: string
  as(caller: Caller): Client<Operations>
  /** Returns a chunk of a revealed document, or null once the document is deleted. */
  readChunk(document_id: string, number: number): Buffer | null | Promise<Buffer | null>
}
