import { CofferError, createInvalidError } from '../../../../shared/errors.ts'
import type { ApplicationType } from '../../../../shared/permissions.ts'
import type { createdClientKey } from '../../../../shared/schemas/client-key.ts'
import type { z } from '../../../../shared/zod.ts'
import { type Engine, owner } from '../../../engine/index.ts'
import { listAllApplications } from '../../all-applications.ts'
import { type Locate, locateError, type Parsed } from '../../files/member-location.ts'
import { createTokens } from '../create-tokens.ts'
import { createStarterApplication, createWithKey, type StarterKeys } from '../starter-applications.ts'
import { createDocument } from './create-documents.ts'
import { generateTokens } from './generate-tokens.ts'
import { readCode } from './read-file.ts'
import type { Seed } from './seed.ts'

/** A client encryption key of a seed, with its public half. */
export type SeededClientKey = z.output<typeof createdClientKey>

type AppliedSeed = {
  /**
   * Keys of the seed's first application of each type, or of a starter application if the seed has none with a key.
   */
  readonly keys: StarterKeys
  /** The client encryption keys, in the order of the seed. */
  readonly client_keys: readonly SeededClientKey[]
}

/** Fills a new vault from a seed, as the owner. Throws `invalid` with the location in the file. */
export async function applySeed(
  engine: Engine,
  { value: seed, at, folder }: Parsed<Seed>,
  progress: (done: number, total: number) => void = () => {},
): Promise<AppliedSeed> {
  await applyTenant(engine, seed, at)
  const keys = await applyApplications(engine, seed, at)
  await applyProxies(engine, seed, at)
  await applyReactors(engine, seed, at, folder)
  const client_keys = await applyClientKeys(engine, seed, at)
  await applyInvitations(engine, seed, at)
  await applyDocuments(engine, seed, at, folder)
  const total = seed.tokens.length + seed.generate.reduce((sum, { count }) => sum + count, 0)
  await applyTokens(
    engine,
    seed.tokens,
    (index) => `tokens[${index}]`,
    at,
    (done) => progress(done, total),
  )
  await applyTokens(
    engine,
    generateTokens(seed),
    (index) => getGeneratePath(seed, index),
    at,
    (done) => progress(seed.tokens.length + done, total),
  )
  // Last, so that webhooks receive no events for the seed itself.
  await applyWebhooks(engine, seed, at)
  return { keys, client_keys }
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

async function applyProxies(engine: Engine, { proxies }: Seed, at: Locate): Promise<void> {
  const client = engine.as(owner)
  const withId = await createApplicationLookup(engine, proxies)
  for (const [index, { application, ...input }] of proxies.entries()) {
    await withErrorLocation(at, `proxies[${index}]`, async () =>
      client.proxies.create({ ...input, application: withId(application) }),
    )
  }
}

async function applyReactors(engine: Engine, { reactors }: Seed, at: Locate, folder: string): Promise<void> {
  const client = engine.as(owner)
  const withId = await createApplicationLookup(engine, reactors)
  for (const [index, { application, code = '', file, ...input }] of reactors.entries()) {
    await withErrorLocation(at, `reactors[${index}]`, async () =>
      client.reactors.create({
        ...input,
        code: file === undefined ? code : readCode(file, folder),
        application: withId(application),
      }),
    )
  }
}

async function applyClientKeys(
  engine: Engine,
  { client_keys }: Seed,
  at: Locate,
): Promise<SeededClientKey[]> {
  const client = engine.as(owner)
  const created: SeededClientKey[] = []
  for (const [index, input] of client_keys.entries())
    created.push(
      await withErrorLocation(at, `client_keys[${index}]`, async () => client.clientKeys.create(input)),
    )
  return created
}

async function applyInvitations(engine: Engine, { invitations }: Seed, at: Locate): Promise<void> {
  const client = engine.as(owner)
  for (const [index, input] of invitations.entries())
    await withErrorLocation(at, `invitations[${index}]`, async () => client.invitations.create(input))
}

async function applyDocuments(
  engine: Engine,
  { documents }: Seed,
  at: Locate,
  folder: string,
): Promise<void> {
  for (const [index, document] of documents.entries())
    await withErrorLocation(at, `documents[${index}]`, () => createDocument(engine, folder, document))
}

async function applyWebhooks(engine: Engine, { webhooks }: Seed, at: Locate): Promise<void> {
  const client = engine.as(owner)
  for (const [index, input] of webhooks.entries())
    await withErrorLocation(at, `webhooks[${index}]`, async () => client.webhooks.create(input))
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
