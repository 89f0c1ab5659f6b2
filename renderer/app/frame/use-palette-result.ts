import { useViewAs } from '../../parts/access/view-as.ts'
import { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { describeError } from '../../parts/messages/describe-error.ts'
import { showToast } from '../../parts/messages/toast.tsx'
import { copyText } from '../../ui/text/clipboard.ts'
import type { Command } from './palette-commands.ts'
import { strings as t } from './palette-strings.ts'

const DELAY_MS = 120
/** The maximum length of a result that is shown; all of it is copied. */
const MAX_LENGTH = 200

export type Evaluation = {
  readonly isDone: boolean
  readonly entry: Command | null
  readonly problem: string | null
}

/** The result of the typed expression. A token in it stands for what the current view may see, masked. */
export function usePaletteResult(expression: string): Evaluation {
  const as = useViewAs((state) => state.as?.id)
  const isTyped = expression !== ''
  const { value, problem } = useLoaded(
    async () => (isTyped ? vault.palette.evaluate({ expression, ...(as !== undefined && { as }) }) : null),
    { about: JSON.stringify([expression, as]), wait_ms: DELAY_MS },
  )
  if (!isTyped) return { isDone: true, entry: null, problem: null }
  if (!value) {
    return {
      isDone: problem !== null,
      entry: null,
      problem: problem === null ? null : describeError(problem),
    }
  }
  const text = typeof value.result === 'string' ? value.result : JSON.stringify(value.result)
  const shown = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text
  const entry: Command = {
    id: 'result',
    group: t.result,
    label: shown,
    masked: shown,
    detail: value.is_masked ? t.masked : t.copyResult,
    icon: 'braces',
    isHit: true,
    // SECURITY: it may be made of what was typed.
    isOnce: true,
    run: () => copyResult(text),
  }
  return { isDone: true, entry, problem: null }
}

async function copyResult(text: string): Promise<void> {
  await copyText(text)
  showToast(t.copiedResult)
}
