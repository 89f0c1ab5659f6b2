import { signingKey } from '../../../shared/schemas/webhook.ts'
import { z } from '../../../shared/zod.ts'
import { owner, requireUnlocked } from '../../engine/index.ts'
import { defineAction, defineCommand } from './command.ts'

export const webhookCommands = {
  /** Whether the current settings allow calls to this URL. Does not resolve its host name. */
  mayCall: defineCommand({
    input: z.strictObject({ url: z.string().max(2000) }),
    output: z.object({ allowed: z.boolean() }),
    handler: (host, { url }) => ({ allowed: host.outbound.isAllowed(url) }),
  }),
  /** The public keys that verify events, the signing one first; creates the key if there is none (rule W-03). */
  signingKeys: defineCommand({
    output: z.object({ keys: z.array(signingKey) }),
    async handler(host) {
      const engine = requireUnlocked(host.getEngine())
      await engine.outbox.getPublicKeys()
      return { keys: await engine.as(owner).webhooks.listSigningKeys() }
    },
  }),
  /** Publishes a new key next to the signing key. Throws `conflict` if there already is a new one. */
  beginSigningKeyRotation: defineAction({
    handler: (host) => requireUnlocked(host.getEngine()).outbox.startKeyRotation(),
  }),
  /** Signs with the new key and deletes the old one. Throws `conflict` if there is no new one. */
  finishSigningKeyRotation: defineAction({
    handler: (host) => requireUnlocked(host.getEngine()).outbox.finishKeyRotation(),
  }),
}
