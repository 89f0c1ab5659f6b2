import { isObject } from '../json.ts'
import { mayHold } from '../permissions.ts'
import { runtimeImages } from '../runtime-images.ts'
import { z } from '../zod.ts'
import { json, optionalField, withJsonSchema } from './common.ts'
import { grantedPermissions } from './rule.ts'

/** The sizes of the hosted service's processes. Here, they change nothing. */
export const runtimeResources = ['standard', 'large', 'xlarge'] as const

/** The maximum length of a runtime as JSON, in characters (case X-65). */
const MAX_RUNTIME_LENGTH = 16_384

const MIN_TIMEOUT = 10
const MAX_TIMEOUT = 30
const MAX_ASYNC_TIMEOUT = 900

/** How many members of a map of packages are reported, from the first invalid one on. */
const REPORTED = 5

const packageName = z
  .string()
  .max(214)
  .regex(/^(@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i, 'is not the name of an npm package')
const exactVersion = z
  .string()
  .max(100)
  .regex(/^\d+\.\d+\.\d+(-[\w.-]+)?(\+[\w.-]+)?$/, 'must be an exact version, such as 4.17.21')

/** npm packages with their exact versions. */
export const dependencies = createPackages(packageName, exactVersion)
export type Dependencies = z.output<typeof dependencies>

const resolutions = createPackages(z.string().min(1).max(400), z.string().max(200))

/**
 * A map of packages, checked once. Only the first invalid members are reported, because an error for each of thousands
 * takes too long, as does the check of each member by a record (case X-65).
 */
function createPackages<Name extends z.ZodString, Version extends z.ZodString>(name: Name, version: Version) {
  const packages = z.record(name, version)
  const checked = packages.clone()
  checked._zod.run = (payload) => payload
  return z.preprocess((input, context) => {
    const entries = isObject(input) ? Object.entries(input) : []
    const bad = entries.findIndex(
      ([key, each]) => !name.safeParse(key).success || !version.safeParse(each).success,
    )
    if (isObject(input) && bad === -1) return input
    const part = isObject(input) ? Object.fromEntries(entries.slice(bad, bad + REPORTED)) : input
    for (const issue of packages.safeParse(part).error?.issues ?? []) context.addIssue({ ...issue })
    return input
  }, checked)
}

const warmConcurrency = z.int().min(0).max(1)
const permissions = grantedPermissions.refine(
  (list) => list.every((each) => mayHold('private', each)),
  'must have only permissions of private applications',
)

// Terraform's provider sends '' and 0 for what its configuration leaves out. They count as absent, but are returned.
const image = createChoice(runtimeImages, 'must be node-bt or node22')
const resources = createChoice(runtimeResources, 'must be standard, large or xlarge')

function createChoice<T extends string>(names: readonly T[], error: string) {
  const choice = z.enum(['', ...names], { error: ({ input }) => (input === undefined ? undefined : error) })
  return withJsonSchema(choice, { type: 'string', enum: ['', ...names] })
}

function createTimeout(max: number) {
  const unless = max > MAX_TIMEOUT ? `, or to ${max} if async is true` : ''
  const timeout = z
    .int()
    .refine(
      (seconds) => seconds === 0 || (seconds >= MIN_TIMEOUT && seconds <= max),
      `must be from ${MIN_TIMEOUT} to ${MAX_TIMEOUT} seconds${unless}`,
    )
  const between = { minimum: 1, maximum: MIN_TIMEOUT - 1 }
  return withJsonSchema(timeout, { type: 'integer', minimum: 0, maximum: max, not: between })
}

const members = {
  image: optionalField(image),
  dependencies: optionalField(dependencies),
  resolutions: optionalField(resolutions),
  warm_concurrency: optionalField(warmConcurrency),
  resources: optionalField(resources),
  permissions: optionalField(permissions),
}
const length = z.refine<object>(
  (runtime) => JSON.stringify(runtime).length <= MAX_RUNTIME_LENGTH,
  `must have at most ${MAX_RUNTIME_LENGTH} characters as JSON`,
)

/** The runtime of a proxy's code transform (rule F-03). */
export const transformRuntime = z
  .strictObject({ ...members, timeout: optionalField(createTimeout(MAX_TIMEOUT)) })
  .check(length)
  .meta({ id: 'Runtime' })

/** The runtime of a reactor (rule F-03). Only an asynchronous one may take longer than 30 seconds. */
export const reactorRuntime = z
  .strictObject({
    ...members,
    timeout: optionalField(createTimeout(MAX_ASYNC_TIMEOUT)),
    async: optionalField(z.boolean()),
  })
  .check(length)
  .superRefine(({ timeout = 0, async = false }, context) => {
    if (async || timeout <= MAX_TIMEOUT) return
    const message = `must be at most ${MAX_TIMEOUT} seconds unless async is true`
    context.addIssue({ code: 'custom', path: ['timeout'], message })
  })
  .meta({
    id: 'ReactorRuntime',
    not: {
      required: ['timeout'],
      properties: { timeout: { type: 'integer', minimum: MAX_TIMEOUT + 1 }, async: { not: { const: true } } },
    },
  })
type NewRuntime = z.output<typeof reactorRuntime>
/** A runtime without the members that are absent. */
export type ReactorRuntime = {
  readonly [Member in keyof NewRuntime]?: Exclude<NewRuntime[Member], undefined>
}

/** The runtime of a reactor in a merge patch: null resets a member, and removes a package. */
export const reactorRuntimePatch = z.strictObject({
  image: image.nullable().optional(),
  dependencies: z.record(packageName, exactVersion.nullable()).nullable().optional(),
  resolutions: z.record(z.string(), z.string().nullable()).nullable().optional(),
  warm_concurrency: warmConcurrency.nullable().optional(),
  timeout: createTimeout(MAX_ASYNC_TIMEOUT).nullable().optional(),
  resources: resources.nullable().optional(),
  permissions: permissions.nullable().optional(),
  async: z.boolean().nullable().optional(),
})

/** Returns the schema of a stored runtime. It is not checked again, because earlier versions stored any members. */
function createStored<T>(name: string) {
  return withJsonSchema(z.custom<T>(), { $ref: `#/components/schemas/${name}` })
}

export const storedRuntime = createStored<z.output<typeof transformRuntime>>('Runtime')
export const storedReactorRuntime = createStored<ReactorRuntime>('ReactorRuntime')

/** What a proxy or a reactor can be called in: `outdated` means that packages have another version (rule F-03). */
export const callableState = z.enum(['active', 'failed', 'outdated'])

/** Why the requested state is not what runs (rule F-03). */
export const requestedError = {
  error_code: z.string(),
  error_message: z.string(),
  error_details: z.record(z.string(), json),
}
