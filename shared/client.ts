import { fromProblem, type ProblemDetails } from './errors.ts'
import type { z } from './zod.ts'

/** The reply that crosses a transport: an output, or the problem document of an error, which is not thrown. */
export type Reply =
  | { readonly ok: true; readonly output: unknown; readonly headers: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly problem: ProblemDetails }

/** Carries one call to the engine, in this process or another. */
export type CallTransport = (name: string, input: unknown) => Promise<Reply>

type AnyOperation = { readonly input: z.ZodType; readonly output: z.ZodType }

type ClientMethod<O extends AnyOperation> =
  Record<string, never> extends z.input<O['input']>
    ? (input?: z.input<O['input']>) => Promise<z.output<O['output']>>
    : (input: z.input<O['input']>) => Promise<z.output<O['output']>>

/** A typed client with a method for every operation of a catalogue, such as `client.tokens.create(input)`. */
export type Client<Catalogue extends Record<string, Record<string, AnyOperation>>> = {
  readonly [Resource in keyof Catalogue]: {
    readonly [Name in keyof Catalogue[Resource]]: ClientMethod<Catalogue[Resource][Name]>
  }
}

/** Runs an operation by its name and returns its output. Rejects with a CofferError. */
type RunOperation = (name: string, input: unknown) => Promise<unknown>

/** Returns the typed client over a transport. Calls reject with the CofferError that the problem document describes. */
export function createClient<Catalogue extends Record<string, Record<string, AnyOperation>>>(
  transport: CallTransport,
): Client<Catalogue> {
  return createClientFrom<Catalogue>(async (name, input) => {
    const reply = await transport(name, input)
    if (reply.ok) return reply.output
    throw fromProblem(reply.problem)
  })
}

/** Returns the typed client over a function that runs operations. Calls reject like `run`. */
export function createClientFrom<Catalogue extends Record<string, Record<string, AnyOperation>>>(
  run: RunOperation,
): Client<Catalogue> {
  const createResource = (prefix: string) =>
    new Proxy(Object.freeze({}), {
      get(_target, name) {
        if (typeof name !== 'string' || name === 'then') return undefined
        return (input: unknown = {}) => run(`${prefix}.${name}`, input)
      },
    })
  const client = new Proxy(Object.freeze({}), {
    // `await` reads the member `then`, which must not be taken for the name of an operation.
    get: (_target, name) => (typeof name === 'string' && name !== 'then' ? createResource(name) : undefined),
  })
  return client as Client<Catalogue>
}
