import { createHmac, hkdfSync } from 'node:crypto'
import { MAX_CALL_BYTES } from '../../../shared/host/window-call.ts'
import { z } from '../../../shared/zod.ts'

/** The protocol version, raised with every change that an older process would not understand. */
export const PROTOCOL = 1
/** The longest line a command may send, in bytes. */
export const MAX_REQUEST_BYTES = MAX_CALL_BYTES
/** The longest line a command accepts, in bytes: a page of an export may be larger than a call. */
export const MAX_REPLY_BYTES = 4 * MAX_CALL_BYTES

/** Each message is one line of JSON. The process that has the vault open sends this greeting first. */
export const greeting = z.object({
  protocol: z.int(),
  version: z.string().max(100),
  pid: z.int(),
  /** As shown by `coffer status`, such as `coffer serve`. */
  command: z.string().max(200),
  /** The listener's base URL; null while it is off. */
  url: z.string().max(200).nullable(),
  /** Null while no vault is open. */
  vault: z
    .object({ name: z.string().max(200), tenant_id: z.string().max(100), in_memory: z.boolean() })
    .nullable(),
  /** Random, for `computeProof`. */
  nonce: z.string().max(100),
})
export type Greeting = z.output<typeof greeting>

/** The command's first line. */
export const hello = z.strictObject({ protocol: z.int(), version: z.string().max(100) })

/** A call of an operation as the owner, of a host command, or of one of `ownCalls`. */
export const controlRequest = z.strictObject({ id: z.int(), name: z.string().max(100), input: z.unknown() })
export type ControlRequest = z.output<typeof controlRequest>

/** A message to the command. Each call gets one reply; a long job sends its progress before the reply. */
export const controlMessage = z.union([
  z.object({ id: z.int(), reply: z.unknown() }),
  z.object({ id: z.int(), done: z.number(), total: z.number() }),
  /** The owner has stopped the import or export that this command announced. */
  z.object({ stop: z.literal(true) }),
])

/** Calls that exist only on the control socket. */
export const ownCalls = {
  /** Proves that the caller could open the vault. Reading plaintext in bulk requires this proof. */
  prove: z.strictObject({ proof: z.string().max(100) }),
  /** Returns the keys that the server of an in-memory vault issued for commands of the same user. */
  lent: z.strictObject({}),
  /** Returns a key with the rights of an application, valid until the connection ends. */
  borrow: z.strictObject({ application_id: z.string().max(100) }),
  /** Returns a link that opens the console once; null without a console. */
  window: z.strictObject({}),
  /** Offers a key to which the command seals one change of what opens the vault. */
  offer: z.strictObject({}),
  /** A chunk of a document to push, as base64. */
  chunk: z.strictObject({ document: z.string().max(100), number: z.int().min(0) }),
  /**
   * Announces an import or export of the command: the window shows its progress, can stop it, and asks for
   * confirmation before quitting.
   */
  working: z.strictObject({ on: z.enum(['import', 'export']), done: z.number(), total: z.number() }),
} as const

/**
 * SECURITY: computes a reply to the nonce that only a holder of the master secret can compute. Neither the secret nor
 * a passphrase crosses the socket. A `proof` of the command is never valid as the `offer` of a process.
 */
export function computeProof(master: Buffer, text: string, kind: 'proof' | 'offer' = 'proof'): string {
  const key = Buffer.from(hkdfSync('sha256', master, '', `coffer control ${kind} v1`, 32))
  const proof = createHmac('sha256', key).update(text).digest('hex')
  key.fill(0)
  return proof
}
