import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import type { EntityWith } from '../../../../shared/entities.ts'
import { CofferError, createInvalidError } from '../../../../shared/errors.ts'
import type { ApplicationType } from '../../../../shared/permissions.ts'
import type { createdClientKey } from '../../../../shared/schemas/client-key.ts'
import { CHUNK_BYTES, DOCUMENT_LIMIT } from '../../../../shared/schemas/document.ts'
import type { z } from '../../../../shared/zod.ts'
import { type Engine, owner } from '../../../engine/index.ts'
import { listAllApplications } from '../../all-applications.ts'
import { type Locate, locateError, type Parsed } from '../../files/member-location.ts'
import { createTokens } from '../create-tokens.ts'
import { createStarterApplication, createWithKey, type StarterKeys } from '../starter-applications.ts'
import { openSeedFile, readCode, readSeedFile, withReadErrors } from './read-file.ts'
import { generateTokens } from './realistic-data.ts'
import type { Seed } from './seed.ts'

/** A client encryption key of a seed, with its public half. */
export type SeededClientKey = z.output<typeof createdClientKey>

type AppliedSeed = {
  /** Keys of the seed's first application of each type, or of a starter application if the seed has none with a key. */
  readonly keys: StarterKeys
  readonly client_keys: readonly SeededClientKey[]
}

type SeedRun = {
  readonly engine: Engine
  readonly seed: Seed
  readonly at: Locate
  readonly folder: string
  readonly progress: (done: number, total: number) => void
  readonly client_keys: SeededClientKey[]
}

type LaterEntity = Exclude<EntityWith<'seeded'>, 'tenant' | 'application'>

/** Creates what a seed has of each entity, in this order, once the tenant and its applications exist. */
const applyEntities: Readonly<Record<LaterEntity, (run: SeedRun) => Promise<void>>> = {
  proxy: async ({ engine, seed: { proxies }, at }) => {
    const withId = await createApplicationLookup(engine, proxies)
    await applyEach(at, 'proxies', proxies, async ({ application, ...input }) =>
      engine.as(owner).proxies.create({ ...input, application: withId(application) }),
    )
  },
  reactor: async ({ engine, seed: { reactors }, at, folder }) => {
    const withId = await createApplicationLookup(engine, reactors)
    await applyEach(at, 'reactors', reactors, async ({ application, code = '', file, ...input }) =>
      engine.as(owner).reactors.create({
        ...input,
        code: file === undefined ? code : readCode(file, folder),
        application: withId(application),
      }),
    )
  },
  client_key: ({ engine, seed, at, client_keys }) =>
    applyEach(at, 'client_keys', seed.client_keys, async (input) => {
      client_keys.push(await engine.as(owner).clientKeys.create(input))
    }),
  invitation: ({ engine, seed, at }) =>
    applyEach(at, 'invitations', seed.invitations, (input) => engine.as(owner).invitations.create(input)),
  merchant: ({ engine, seed, at }) =>
    applyEach(at, 'merchants', seed.merchants, (input) =>
      engine.as(owner).merchants.create({ tenant_id: 'self', ...input }),
    ),
  wallet_merchant: ({ engine, seed, at, folder }) =>
    applyEach(at, 'wallet_merchants', seed.wallet_merchants, (input) =>
      registerWalletMerchant(engine, folder, input),
    ),
  wallet_domain: ({ engine, seed, at }) =>
    applyEach(at, 'wallet_domains', seed.wallet_domains, (domain) =>
      engine.as(owner).applePay.createDomain({ domain }),
    ),
  document: ({ engine, seed, at, folder }) =>
    applyEach(at, 'documents', seed.documents, (input) => createDocument(engine, folder, input)),
  token: async ({ engine, seed, at, progress }) => {
    const { tokens, generate } = seed
    const total = tokens.length + generate.reduce((sum, { count }) => sum + count, 0)
    const addTokens = async (
      all: Parameters<typeof createTokens>[1],
      before: number,
      getPath: GetTokenPath,
    ) => applyTokens(engine, all, getPath, at, (done) => progress(before + done, total))
    await addTokens(tokens, 0, (index) => `tokens[${index}]`)
    await addTokens(generateTokens(seed), tokens.length, (index) => getGeneratePath(seed, index))
  },
  network_token: ({ engine, seed, at }) =>
    applyEach(at, 'network_tokens', seed.network_tokens, (input) =>
      engine.as(owner).networkTokens.create(input),
    ),
  enrollment: ({ engine, seed, at }) =>
    applyEach(at, 'enrollments', seed.enrollments, (input) => engine.as(owner).enrollments.create(input)),
  // Last, so that webhooks receive no events for the seed itself.
  webhook: ({ engine, seed, at }) =>
    applyEach(at, 'webhooks', seed.webhooks, (input) => engine.as(owner).webhooks.create(input)),
}

type GetTokenPath = (index: number) => string

/** Fills a new vault from a seed, as the owner. Throws `invalid` with the location in the file. */
export async function applySeed(
  engine: Engine,
  { value: seed, at, folder }: Parsed<Seed>,
  progress: (done: number, total: number) => void = () => {},
): Promise<AppliedSeed> {
  await applyTenant(engine, seed, at)
  const keys = await applyApplications(engine, seed, at)
  const client_keys: SeededClientKey[] = []
  const run = { engine, seed, at, folder, progress, client_keys }
  for (const apply of Object.values(applyEntities)) await apply(run)
  return { keys, client_keys }
}

async function applyEach<Item>(
  at: Locate,
  member: string,
  items: readonly Item[],
  create: (item: Item) => Promise<unknown>,
): Promise<void> {
  for (const [index, item] of items.entries())
    await withErrorLocation(at, `${member}[${index}]`, () => create(item))
}

async function applyTenant(engine: Engine, { tenant }: Seed, at: Locate): Promise<void> {
  if (!tenant) return
  const client = engine.as(owner)
  const name = tenant.name ?? (await client.tenants.get()).name
  await withErrorLocation(at, 'tenant', () => client.tenants.update({ name, settings: tenant.settings }))
  const { security_contact: email } = tenant
  if (email !== undefined)
    await withErrorLocation(at, 'tenant', () => client.tenants.setSecurityContact({ email }))
}

async function applyApplications(engine: Engine, { applications }: Seed, at: Locate): Promise<StarterKeys> {
  const client = engine.as(owner)
  const keys: Partial<Record<ApplicationType, string>> = {}
  for (const [index, { key, ...input }] of applications.entries()) {
    const createdKey = await withErrorLocation(at, `applications[${index}]`, async () => {
      if (key === undefined) return (await client.applications.create(input)).key
      const { id } = await client.applications.create({ ...input, create_key: false })
      await client.keys.fix({ id, key })
      return key
    })
    if (createdKey !== undefined) keys[input.type] ??= createdKey
  }
  const createStarterKey = (type: ApplicationType) => createWithKey(engine, createStarterApplication(type))
  return {
    management: keys.management ?? (await createStarterKey('management')),
    private: keys.private ?? (await createStarterKey('private')),
    public: keys.public ?? (await createStarterKey('public')),
  }
}

type NamedSeedItem = { readonly name: string } | undefined

/** Returns the function that finds the application with a name. It throws `invalid` if there is none. */
async function createApplicationLookup(
  engine: Engine,
  entries: readonly { readonly application?: NamedSeedItem }[],
): Promise<(reference: NamedSeedItem) => { id: string } | undefined> {
  const known = entries.some(({ application }) => application) ? await listAllApplications(engine) : []
  return (reference) => {
    if (!reference) return undefined
    const match = known.find(({ name }) => name === reference.name)
    if (!match) throw createInvalidError('application.name', 'must name an application of the seed')
    return { id: match.id }
  }
}

async function applyTokens(
  engine: Engine,
  tokens: Parameters<typeof createTokens>[1],
  getPath: (index: number) => string,
  at: Locate,
  progress: (done: number) => void,
): Promise<void> {
  const rejected = await createTokens(engine, tokens, progress)
  if (rejected.length === 0) return
  const lines = rejected
    .slice(0, 20)
    .map(({ index, detail, errors }) =>
      locateError(new CofferError('invalid', detail, { errors }), at, getPath(index)),
    )
  throw new CofferError('invalid', lines.map(({ message }) => message).join('\n'))
}

/** Returns the path of the `generate` entry that produced this token. */
function getGeneratePath({ generate }: Seed, index: number): string {
  let before = 0
  const entry = generate.findIndex(({ count }) => {
    before += count
    return index < before
  })
  return `generate[${entry}]`
}

async function withErrorLocation<T>(at: Locate, path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof CofferError && error.status < 500) throw locateError(error, at, path)
    throw error
  }
}

/** Registers a merchant of a wallet with its certificates. Throws what their operations throw. */
async function registerWalletMerchant(
  engine: Engine,
  folder: string,
  { certificates, ...merchant }: Seed['wallet_merchants'][number],
): Promise<void> {
  const client = engine.as(owner)
  const { id: merchantId } = await client.wallets.createMerchant(merchant)
  for (const { file, password } of certificates) {
    const data = readSeedFile(file, folder).toString('base64')
    if (merchant.wallet === 'apple')
      await client.applePay.createCertificates({
        merchantId,
        payment_processor_certificate_data: data,
        payment_processor_certificate_password: password,
      })
    else
      await client.googlePay.createCertificates({
        merchantId,
        merchant_certificate_data: data,
        merchant_certificate_password: password,
      })
  }
}

type SeedDocument = Seed['documents'][number]

/**
 * Stores a document of a seed chunk by chunk, as the owner. Files are relative to `folder`. Throws `invalid` for a
 * file that cannot be read, is not a regular file, or is too large.
 */
async function createDocument(engine: Engine, folder: string, document: SeedDocument): Promise<void> {
  const { documents } = engine.as(owner)
  const { id = randomUUID(), text, file, content_type, metadata = {} } = document
  const declared = content_type ?? (text === undefined ? 'application/octet-stream' : 'text/plain')
  const last = { content_type: declared, metadata }
  const content = text === undefined ? readFileChunks(file ?? '', folder) : splitChunks(Buffer.from(text))
  let number = 0
  let pending: Buffer | null = null
  for (const data of content) {
    if (pending) await documents.create({ id, number: number++, data: pending, last: null })
    pending = data
  }
  await documents.create({ id, number, data: pending ?? Buffer.alloc(0), last })
}

function* splitChunks(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES)
}

function* readFileChunks(file: string, folder: string): Generator<Buffer> {
  const open = openSeedFile(file, folder)
  try {
    if (fs.fstatSync(open).size > DOCUMENT_LIMIT) throw createInvalidError('file', 'is larger than 50 MiB')
    for (;;) {
      const chunk = readChunk(open)
      if (chunk.length > 0) yield chunk
      if (chunk.length < CHUNK_BYTES) return
    }
  } finally {
    fs.closeSync(open)
  }
}

function readChunk(open: number): Buffer {
  const chunk = Buffer.alloc(CHUNK_BYTES)
  let length = 0
  for (;;) {
    const read = withReadErrors(() => fs.readSync(open, chunk, length, CHUNK_BYTES - length, null))
    length += read
    if (read === 0 || length === CHUNK_BYTES) return chunk.subarray(0, length)
  }
}
