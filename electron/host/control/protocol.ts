import { createHmac, hkdfSync } from 'node:crypto'
import { MAX_CALL_BYTES } from '../../../shared/host.ts'
import { z } from '../../../shared/zod.ts'

/** Raised by every change that the other side would not understand. */
export const PROTOCOL = 1
/** The longest line a command may send, in bytes. */
export const MAX_REQUEST_BYTES = MAX_CALL_BYTES
/** The longest line it reads: a page of an export may be larger than a call. */
export const MAX_REPLY_BYTES = 4 * MAX_CALL_BYTES

/** Each message is one line of JSON. The process with the vault speaks first and says whom the command has reached. */
export const greeting = z.object({
  protocol: z.int(),
  version: z.string().max(100),
  pid: z.int(),
  /** As `coffer status` shows it, such as `coffer serve`. */
  command: z.string().max(200),
  /** Where it listens, if it does. */
  url: z.string().max(200).nullable(),
  /** Null while it holds no vault open. */
  vault: z
    .object({ name: z.string().max(200), tenant_id: z.string().max(100), in_memory: z.boolean() })
    .nullable(),
  /** Random, for `proofOf`. */
  nonce: z.string().max(100),
})
export type Greeting = z.output<typeof greeting>

/** The command's first line. */
export const hello = z.strictObject({ protocol: z.int(), version: z.string().max(100) })

/** A call: an operation, called as the owner, a command of the host, or one of `ownCalls`. */
export const controlRequest = z.strictObject({ id: z.int(), name: z.string().max(100), input: z.unknown() })
export type ControlRequest = z.output<typeof controlRequest>

/** What comes back: once for each call a reply; before that, if it is long work of the host, its progress. */
export const controlMessage = z.union([
  z.object({ id: z.int(), reply: z.unknown() }),
  z.object({ id: z.int(), done: z.number(), total: z.number() }),
  /** The owner has stopped the work this command had announced. */
  z.object({ stop: z.literal(true) }),
])

/** The calls that only the socket knows. */
export const ownCalls = {
  /** Proves that whoever asks could have opened the vault: plaintext in bulk is given out only then. */
  prove: z.strictObject({ proof: z.string().max(100) }),
  /** The keys of a vault in memory, which its server has lent to commands of the same user. */
  lent: z.strictObject({}),
  /** A piece of a document that is pushed, as base64. */
  chunk: z.strictObject({ document: z.string().max(100), number: z.int().min(0) }),
  /** Announces work of the command, so that the window shows it, may stop it, and asks before it quits. */
  working: z.strictObject({ on: z.enum(['import', 'export']), done: z.number(), total: z.number() }),
} as const

/**
 * SECURITY: what only a holder of the master secret can answer to a nonce. Neither the secret nor a passphrase crosses
 * the socket.
 */
export function computeProof(master: Buffer, nonce: string): string {
  const key = Buffer.from(hkdfSync('sha256', master, '', 'coffer control proof v1', 32))
  const proof = createHmac('sha256', key).update(nonce).digest('hex')
  key.fill(0)
  return proof
}
