import { destinations } from '../../../../shared/destinations.ts'
import { seedEnrollment } from '../../../../shared/schemas/agentic.ts'
import { newApplication } from '../../../../shared/schemas/application.ts'
import { newClientKey } from '../../../../shared/schemas/client-key.ts'
import { optionalField } from '../../../../shared/schemas/common.ts'
import { contentType, documentRequest } from '../../../../shared/schemas/document.ts'
import { newInvitation, newSecurityContact } from '../../../../shared/schemas/member.ts'
import { newMerchant } from '../../../../shared/schemas/merchant.ts'
import { newNetworkToken } from '../../../../shared/schemas/network-token.ts'
import { newProxy } from '../../../../shared/schemas/proxy.ts'
import { newReactor } from '../../../../shared/schemas/reactor.ts'
import { newToken } from '../../../../shared/schemas/token.ts'
import { chosenWalletMerchant, domainList, newGoogleCertificates } from '../../../../shared/schemas/wallet.ts'
import { newWebhook } from '../../../../shared/schemas/webhook.ts'
import { tokenTypes } from '../../../../shared/token-types.ts'
import { z } from '../../../../shared/zod.ts'
import { portalLink } from '../portal-link.ts'

/** A setting may be any YAML scalar and is converted to a string, which is what the tenant stores. */
const setting = z.union([z.string(), z.number(), z.boolean()]).transform(String)

const generated = newToken
  .omit({ type: true, data: true, token_intent_id: true, privacy: true })
  .extend({ type: z.enum(tokenTypes), count: z.int().min(1).max(1_000_000) })

/** An application, or a link to the portal's form for one. Members beside `from` override those of the link. */
const seedApplication = newApplication
  .extend({
    name: optionalField(newApplication.shape.name),
    type: optionalField(newApplication.shape.type),
    from: optionalField(portalLink),
    key: optionalField(z.string()),
  })
  .transform(({ from, name = from?.name, type = from?.type, ...rest }, context) => {
    if (name === undefined) context.addIssue({ code: 'custom', path: ['name'], message: 'is required' })
    if (type === undefined) context.addIssue({ code: 'custom', path: ['type'], message: 'is required' })
    if (name === undefined || type === undefined) return z.NEVER
    return { ...rest, name, type, permissions: rest.permissions ?? from?.permissions }
  })

const application = optionalField(z.strictObject({ name: z.string() }))

const seedReactor = newReactor
  .extend({ application, code: optionalField(newReactor.shape.code), file: optionalField(z.string()) })
  .superRefine(({ code, file }, context) => {
    if ((code === undefined) === (file === undefined))
      context.addIssue({ code: 'custom', message: 'needs either code or file' })
  })

/** The content of a seed document: text, or a file relative to the seed file. */
const seedDocument = z
  .strictObject({
    /** Documents cannot be listed, so a document that a program should find needs a fixed id. */
    id: optionalField(z.uuid()),
    text: optionalField(z.string()),
    file: optionalField(z.string()),
    content_type: optionalField(contentType),
    metadata: documentRequest.shape.metadata,
  })
  .superRefine(({ text, file }, context) => {
    if ((text === undefined) === (file === undefined))
      context.addIssue({ code: 'custom', message: 'needs either text or file' })
  })

/** The certificates of a registration are PKCS#12 files, relative to the seed file, whose keys decrypt payments. */
const seedWalletMerchant = chosenWalletMerchant.extend({
  certificates: z
    .array(
      z.strictObject({
        file: z.string(),
        password: newGoogleCertificates.shape.merchant_certificate_password,
      }),
    )
    .max(50)
    .default([]),
})

/**
 * A seed file, the initial content of a vault: tenant, settings, applications, proxies, reactors, webhooks, client
 * encryption keys, invitations, merchants, registrations of wallets, enrollments, documents, tokens, network tokens, how
 * many tokens to generate, where proxies may call, and whether code may run. In the id and metadata of generated tokens,
 * `{n}` is the token's number, from 1.
 */
export const seed = z.strictObject({
  tenant: optionalField(
    z.strictObject({
      name: optionalField(z.string().min(1).max(200)),
      settings: optionalField(z.record(z.string(), setting)),
      security_contact: optionalField(newSecurityContact.shape.email),
    }),
  ),
  applications: z.array(seedApplication).max(1000).default([]),
  /** A proxy names an application of the seed, because ids are created when the vault is filled. */
  proxies: z.array(newProxy.extend({ application })).max(1000).prefault([]),
  /** A reactor names an application of the seed, like a proxy. Its code may be in a file, relative to the seed file. */
  reactors: z.array(seedReactor).max(1000).prefault([]),
  /** Webhooks receive no events for the creation of the seed itself. */
  webhooks: z.array(newWebhook).max(5).default([]),
  /** The public halves of these keys are shown once, when the vault is filled. */
  client_keys: z.array(newClientKey).max(100).default([]),
  /** Invitations expire 72 hours after the vault is filled. */
  invitations: z.array(newInvitation).max(1000).default([]),
  merchants: z
    .array(newMerchant.omit({ tenant_id: true }))
    .max(1000)
    .default([]),
  wallet_merchants: z.array(seedWalletMerchant).max(200).default([]),
  /** The domains that are registered for Apple Pay. */
  wallet_domains: domainList.shape.domains.default([]),
  /** Enrollments for payments of agents name tokens of the seed by their ids. */
  enrollments: z.array(seedEnrollment).max(1000).default([]),
  documents: z.array(seedDocument).max(1000).default([]),
  tokens: z.array(newToken).max(100_000).prefault([]),
  /** Created after the tokens, which they may name. */
  network_tokens: z.array(newNetworkToken).max(1000).default([]),
  generate: z.array(generated).max(100).prefault([]),
  /** The seed of the random generator: the same number generates the same data. */
  random: z.int().default(1),
  /** Where proxies may call. This is a setting of the running program, not of the vault (rule G-02). */
  destinations: optionalField(destinations),
  /** Whether code may run, as with `--reactors` (rule F-02). */
  run_reactors: z.boolean().default(false),
})
export type Seed = z.output<typeof seed>
export type SeedInput = z.input<typeof seed>
