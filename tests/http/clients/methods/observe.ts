import { type BasisTheoryClient, BasisTheoryError } from '@basis-theory/node-sdk'
import { furtherCalls } from './further-calls.ts'
import type { MethodOutcome } from './methods-table.ts'
import { notCounted } from './not-counted.ts'
import { refused, type ScenarioClients, scenarios } from './scenarios.ts'
import { createSample, isObjectType, type SdkMethod, SeenMembers } from './sdk-types.ts'

/** What a call was answered, with the header that names what was ignored. */
type Observed = {
  readonly status: number
  readonly data?: unknown
  readonly body?: unknown
  readonly ignored: string
}
type RawAnswer = {
  readonly data: unknown
  readonly rawResponse: { readonly status: number; readonly headers: Headers }
}

/**
 * Calls every method: by its scenario, or if its area is not built, with a sample. Rejects if a method is built and has
 * no scenario, or the other way round, if a scenario fails although no rule refuses the method, and if a member is answered
 * that not-counted.ts names.
 */
export async function observeMethods(
  methods: readonly SdkMethod[],
  clients: ScenarioClients,
): Promise<MethodOutcome[]> {
  const seen = new SeenMembers()
  const observed: (readonly [SdkMethod, Observed])[] = []
  for (const method of methods) {
    const scenario = scenarios[method.name]
    const call = scenario ? await scenario(clients) : callWithSample(clients.management, method)
    const answer = await observeCall(call)
    requireExpected(method.name, answer)
    seen.addMembers(method.answer, answer.data)
    observed.push([method, answer])
  }
  for (const [name, scenario] of furtherCalls) {
    const { status, data, body } = await observeCall(await scenario(clients))
    requireExpected(name, { status, body })
    seen.addMembers(methods.find((each) => each.name === name)?.answer ?? '', data)
  }
  const explained = Object.values(notCounted).flat()
  const allUnseen = new Set(methods.flatMap((each) => seen.listUnseen(each.answer)))
  const answered = explained.filter((each) => !allUnseen.has(each))
  if (answered.length > 0) throw new Error(`Remove from not-counted.ts: ${answered.join(', ')}.`)
  const outcomes: MethodOutcome[] = []
  for (const [method, { status }] of observed)
    outcomes.push(
      describeOutcome(
        method.name,
        status,
        await listIgnored(clients, method),
        seen.listUnseen(method.answer).filter((each) => !explained.includes(each)),
      ),
    )
  return outcomes
}

function requireExpected(name: string, { status, body }: Pick<Observed, 'status' | 'body'>): void {
  const isUnbuilt = status === 404 && JSON.stringify(body).includes('is not part of this version')
  const isBuilt = name in scenarios
  if (!isBuilt && !isUnbuilt) throw new Error(`${name} is built: add its scenario to scenarios.ts.`)
  const hasSucceeded = status < 400
  if (isBuilt && hasSucceeded === name in refused)
    throw new Error(`${name} was answered ${status}: ${JSON.stringify(body)}`)
}

function describeOutcome(
  name: string,
  status: number,
  ignored: readonly string[],
  unseen: readonly string[],
): MethodOutcome {
  if (!(name in scenarios)) return { name, status, state: 'not built yet', ignored: [], unseen: [] }
  if (name in refused) return { name, status, state: 'refused by a rule', ignored, unseen: [] }
  const state = ignored.length + unseen.length > 0 ? 'with a difference' : 'right'
  return { name, status, state, ignored, unseen }
}

async function observeCall(call: () => PromiseLike<unknown>): Promise<Observed> {
  try {
    const answer = (await withRawResponse(call())) as RawAnswer
    const { data, rawResponse } = answer
    return { status: rawResponse.status, data, ignored: rawResponse.headers.get('Coffer-Ignored') ?? '' }
  } catch (error) {
    if (!(error instanceof BasisTheoryError)) throw error
    const { statusCode = 0, rawResponse, body } = error
    return { status: statusCode, body, ignored: rawResponse?.headers.get('Coffer-Ignored') ?? '' }
  }
}

/** A page has its raw response, and other answers are asked for it. */
function withRawResponse(promise: PromiseLike<unknown>): unknown {
  const method: unknown = Reflect.get(promise, 'withRawResponse')
  return typeof method === 'function' ? method.call(promise) : promise
}

/** Returns a call of a method with a request that has every member of its type. */
function callWithSample(client: BasisTheoryClient, { name, parameters }: SdkMethod) {
  const path = name.split('.')
  const owner = path.slice(0, -1).reduce<object>((object, each) => Reflect.get(object, each), client)
  const args = parameters.map(([, type]) => createSample(type))
  return (): PromiseLike<unknown> => Reflect.get(owner, path.at(-1) ?? '').apply(owner, args)
}

/** Lists the members of a method's request that are ignored, whichever key may call it. */
async function listIgnored(
  { management, backend, browser }: ScenarioClients,
  method: SdkMethod,
): Promise<string[]> {
  // The request of an upload is a form.
  const hasObject = method.parameters.some(([, type]) => isObjectType(type))
  if (!(method.name in scenarios) || !hasObject || method.name === 'documents.upload') return []
  const names = new Set<string>()
  for (const client of [management, backend, browser]) {
    const { ignored } = await observeCall(callWithSample(client, method))
    for (const name of ignored.split(', ').filter((each) => each !== '')) names.add(name)
  }
  return [...names]
}
