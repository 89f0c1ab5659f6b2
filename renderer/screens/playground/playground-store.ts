import type { Json } from '../../../shared/json.ts'
import { latest } from '../../parts/connection/latest.ts'
import { vaultStore } from '../../parts/connection/store.ts'
import { vault } from '../../parts/connection/vault.ts'
import { sentenceOf } from '../../parts/messages/sentence.ts'
import { toast } from '../../parts/messages/toast.tsx'
import { jsonOrText } from '../../parts/tokens/token-draft.ts'
import { tokenTypes } from '../../parts/tokens/token-types.ts'

export type FilterExample = Awaited<ReturnType<typeof vault.expressions.filters>>[number]

type Result = { readonly result: Json; readonly type: string }

type Texts = { readonly template: string; readonly data: string }

type Playground = Texts & {
  /** What was put in without typing, and can be had again. */
  readonly given: Texts
  readonly result: Result | null
  readonly problem: string | null
  readonly filters: readonly FilterExample[]
}

/** A JSON value as one would type it: strings without quotes, unless they would parse as something else. */
export function typedText(value: Json): string {
  return typeof value === 'string' && jsonOrText(value) === value ? value : JSON.stringify(value, null, 2)
}

const first: Texts = {
  template: '{{ data.number | reveal_last: 4 }}',
  data: typedText(tokenTypes.card.sample),
}

export const usePlayground = vaultStore<Playground>(() => ({
  ...first,
  given: first,
  result: null,
  problem: null,
  filters: [],
}))

const { getState, setState } = usePlayground
const WAIT_MS = 100
const answers = latest()
let timer: ReturnType<typeof setTimeout> | undefined

/** Changes the expression or data; the result follows after a short delay. */
export function change(part: Partial<Texts>): void {
  answers.begin()
  setState(part)
  clearTimeout(timer)
  timer = setTimeout(evaluate, WAIT_MS)
}

/** Replaces the expression or data. If something typed is lost by that, says so and offers it back. */
export function replace(part: Partial<Texts>, said: string): void {
  const { template, data, given } = getState()
  const before = { template, data }
  const names = ['template', 'data'] as const
  const lost = names.filter(
    (name) => ![undefined, before[name]].includes(part[name]) && !['', given[name]].includes(before[name]),
  )
  change(part)
  setState({ given: { ...given, ...part } })
  if (lost.length > 0) toast(said, { undo: async () => change(before) })
}

/** Evaluates the current expression. */
export async function evaluate(): Promise<void> {
  const { template, data } = getState()
  const isWanted = answers.begin()
  try {
    const result = await vault.expressions.preview({ template: jsonOrText(template), data: jsonOrText(data) })
    if (isWanted()) setState({ result, problem: null })
  } catch (error) {
    if (isWanted()) setState({ problem: sentenceOf(error) })
  }
}

/** Loads every filter with its examples. */
export async function loadFilters(): Promise<void> {
  if (getState().filters.length === 0) setState({ filters: await vault.expressions.filters() })
}
