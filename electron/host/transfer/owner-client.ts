import type { Client } from '../../../shared/client.ts'
import type { Caller, Operations } from '../../engine/index.ts'

/** The functions of a vault for imports, exports and pushes. The engine runs in this process or in another one. */
export type OwnersEngine = {
  readonly tenant_id: string
  as(caller: Caller): Client<Operations>
  readonly documents: {
    /** Returns a chunk of a revealed document, or null once the document is deleted. */
    readChunk(document_id: string, number: number): Buffer | null | Promise<Buffer | null>
  }
}
