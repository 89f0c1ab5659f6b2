import type { RuntimeImage } from '../../../shared/runtime-images.ts'
import type { Contract, RunOutcome } from '../run.ts'
import type { RunRequest } from './messages.ts'
import { createResponse, createResultError, toThrownOutcome } from './thrown.ts'

/** What the function gets, and the name of a member of the other runtime that it has read, if any (rule F-03). */
export type CodeInput = { readonly input: object; getMisread(): string | null }

type RunApplication = NonNullable<RunRequest['application']>

const { parse, stringify } = JSON

/** The members that only the other runtime passes: code that reads them is meant for it. */
const foreign: Readonly<Record<RuntimeImage, readonly string[]>> = {
  'node-bt': ['req', 'logger'],
  node22: ['args', 'bt'],
}

/** Creates the argument of the function. `createClient` creates the client that only node-bt passes. */
export async function createInput(
  { contract: { image }, args, configuration, application }: RunRequest,
  createClient: (application: RunApplication) => Promise<unknown>,
): Promise<CodeInput> {
  const value: unknown = parse(args ?? 'null')
  const applicationOptions = application && { ...application, baseUrl: application.environment }
  const input =
    image === 'node22'
      ? {
          req: value,
          configuration,
          logger: createLogger(),
          ...(applicationOptions && { applicationOptions }),
        }
      : {
          args: value,
          configuration,
          bt: application && (await createClient(application)),
          applicationOptions,
        }
  let misread: string | null = null
  for (const name of foreign[image]) {
    const noteRead = () => {
      misread = name
    }
    const replaceValue = (value: unknown) => Object.defineProperty(input, name, { value, writable: true })
    Object.defineProperty(input, name, { configurable: true, get: noteRead, set: replaceValue })
  }
  return { input, getMisread: () => misread }
}

/** The logger of node22, which prints like `console`, with a level. */
function createLogger(): Readonly<Record<string, (...values: readonly unknown[]) => void>> {
  const { console } = globalThis
  const levels = ['info', 'warn', 'error']
  return Object.fromEntries(
    levels.map((level) => [level, (...values) => console.log(level.toUpperCase(), ...values)]),
  )
}

const RESPONSE = '{ res: { body, headers, statusCode } }'
const expected: Readonly<Record<RuntimeImage, Readonly<Record<Contract['role'], string>>>> = {
  'node-bt': { reactor: '{ raw, tokenize }', request: '{ body, headers }', response: '{ body, headers }' },
  node22: { reactor: RESPONSE, request: `{ req: { body, headers } } or ${RESPONSE}`, response: RESPONSE },
}

/** Converts what the code returned, as JSON text, to the outcome of its run (rule F-03). */
export function toOutcome(contract: Contract, text: string): RunOutcome {
  const { image, role } = contract
  const value: unknown = parse(text)
  const { req, res, ...others } = isRecord(value) ? value : {}
  const isResponse = role === 'reactor' ? image === 'node22' : role === 'request' && res !== undefined
  if (isResponse) return toResponse(contract, res)
  if (image === 'node22') return toChange(contract, role === 'request' ? req : res, others)
  if (!hasMember(others, ['raw', 'tokenize', 'body', 'headers'])) {
    if (res !== undefined) return createContractError(contract)
    const ignored = Object.keys(others)
    if (ignored.length > 0)
      console.warn(
        `node-bt returns only ${expected[image][role]} to the caller. Ignored: ${ignored.join(', ')}`,
      )
  }
  return { kind: 'returned', value: text }
}

/** Converts what a transform returned in node22, wrapped or bare, to what it changes. */
function toChange(contract: Contract, wrapped: unknown, bare: object): RunOutcome {
  const changed = wrapped ?? bare
  return isRecord(wrapped) || hasMember(changed, ['body', 'headers', 'statusCode'])
    ? { kind: 'returned', value: stringify(changed) }
    : createContractError(contract)
}

/** Converts `res` to the exact response. Text without a content type is plain text. */
function toResponse(contract: Contract, res: unknown): RunOutcome {
  if (!isRecord(res)) return createContractError(contract)
  const { statusCode = 200, headers, body } = res
  const response = createResponse(statusCode, headers, body ?? '')
  if (!response)
    return createResultError(contract.image, 'res.statusCode must be an integer from 200 to 599.')
  const hasType = Object.keys(response.headers).some((name) => name.toLowerCase() === 'content-type')
  if (hasType || typeof body !== 'string') return response
  return { ...response, headers: { ...response.headers, 'Content-Type': 'text/plain; charset=utf-8' } }
}

/** The error for a result in the form of another runtime, or in no known form. */
function createContractError({ image, role }: Contract): RunOutcome {
  const other = image === 'node22' ? 'node-bt' : 'node22'
  return createResultError(
    image,
    `This code runs in ${image}, so it must return ${expected[image][role]}. If it is meant for ${other}, set runtime.image to ${other}.`,
  )
}

/** Converts what the code threw to the outcome of its run. Never throws. */
export function toFailure({ image }: Contract, thrown: unknown, misread: string | null): RunOutcome {
  const outcome = toThrownOutcome(image, thrown)
  if (outcome.kind !== 'thrown' || misread === null) return outcome
  const other = image === 'node22' ? 'node-bt' : 'node22'
  const hint = `The code reads ${misread}, which only ${other} passes, but it runs in ${image}. If it is meant for ${other}, set runtime.image to ${other}.`
  return { ...outcome, errors: { ...outcome.errors, error: [...(outcome.errors.error ?? []), hint] } }
}

function hasMember(value: unknown, names: readonly string[]): boolean {
  return isRecord(value) && names.some((name) => Object.hasOwn(value, name))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
