import type { Json } from '../../../shared/json.ts'
import { createRequestGuard } from '../../parts/connection/request-guard.ts'
import { createVaultStore } from '../../parts/connection/store.ts'
import { vault } from '../../parts/connection/vault.ts'
import { describeError } from '../../parts/messages/describe-error.ts'
import { showToast } from '../../parts/messages/toast.tsx'
import { parseJsonOrText } from '../../parts/tokens/token-draft.ts'
import { tokenTypes } from '../../parts/tokens/token-types.ts'

export type FilterExample = Awaited<ReturnType<typeof vault.expressions.filters>>[number]

type Result = { readonly result: Json; readonly type: string }

type PlaygroundTexts = { readonly template: string; readonly data: string }

type PlaygroundState = PlaygroundTexts & {
  /**
   * The expression and data that were last inserted. While the user has not edited them, they can be replaced
   * without a message, because no typed input is lost.
   */
  readonly inserted: PlaygroundTexts
  readonly result: Result | null
  readonly problem: string | null
  readonly filters: readonly FilterExample[]
}

/** Formats a JSON value for an input: strings without quotes, unless they would parse as another type. */
export function toInputText(value: Json): string {
  return typeof value === 'string' && parseJsonOrText(value) === value
    ? value
    : JSON.stringify(value, null, 2)
}

const initialTexts: PlaygroundTexts = {
  template: '{{ data.number | reveal_last: 4 }}',
  data: toInputText(tokenTypes.card.sample),
}

export const usePlayground = createVaultStore<PlaygroundState>(() => ({
  ...initialTexts,
  inserted: initialTexts,
  result: null,
  problem: null,
  filters: [],
}))

const { getState, setState } = usePlayground
const EVALUATE_DELAY_MS = 100
const answers = createRequestGuard()
let timer: ReturnType<typeof setTimeout> | undefined

/** Changes the expression or the data, and evaluates the expression after a short delay. */
export function changeTexts(patch: Partial<PlaygroundTexts>): void {
  answers.start()
  setState(patch)
  clearTimeout(timer)
  timer = setTimeout(evaluateTemplate, EVALUATE_DELAY_MS)
}

/** Replaces the expression or the data. If that discards typed input, a message offers to restore it. */
export function replaceTexts(patch: Partial<PlaygroundTexts>, message: string): void {
  const { template, data, inserted } = getState()
  const before = { template, data }
  const names = ['template', 'data'] as const
  const lost = names.filter(
    (name) =>
      ![undefined, before[name]].includes(patch[name]) && !['', inserted[name]].includes(before[name]),
  )
  changeTexts(patch)
  setState({ inserted: { ...inserted, ...patch } })
  if (lost.length > 0) showToast(message, { undo: async () => changeTexts(before) })
}

export async function evaluateTemplate(): Promise<void> {
  const { template, data } = getState()
  const isCurrent = answers.start()
  try {
    const result = await vault.expressions.preview({
      template: parseJsonOrText(template),
      data: parseJsonOrText(data),
    })
    if (isCurrent()) setState({ result, problem: null })
  } catch (error) {
    if (isCurrent()) setState({ problem: describeError(error) })
  }
}

export async function loadFilters(): Promise<void> {
  if (getState().filters.length === 0) setState({ filters: await vault.expressions.filters() })
}
