import { isObject, type JsonObject } from '../../../../shared/json.ts'
import { describeError, hasCode } from '../../../parts/messages/describe-error.ts'
import type { CellEdit } from '../../../ui/grid/cell-editor.tsx'
import { strings } from '../strings.ts'
import { formatContainers, formatPairs, parseContainers, parsePairs } from './cell-text.ts'
import { type EditedToken, editToken } from './token-edits.ts'

const t = strings.edits

/** The containers of a token, as paths with commas between them. */
export const containersEdit: CellEdit<EditedToken> = {
  toText: ({ containers }) => formatContainers(containers),
  onText(token, text) {
    const containers = parseContainers(text)
    if (containers === null) return t.containers
    editToken(token, { containers })
    return null
  },
  findState: (token) => findCellState(token, (patch) => 'containers' in patch),
}

/** All metadata of a token, as `key=value; key=value`. */
export const metadataEdit: CellEdit<EditedToken> = {
  toText: ({ metadata }) => formatPairs(metadata ?? {}),
  onText(token, text) {
    const metadata = parsePairs(text)
    if (metadata === null) return t.pairs
    editToken(token, { metadata })
    return null
  },
  findState: (token) => findCellState(token, (patch) => 'metadata' in patch),
}

/** The value of one metadata key. An empty value removes the pair. */
export function createPairEdit(key: string): CellEdit<EditedToken> {
  return {
    toText: ({ metadata }) => (metadata && Object.hasOwn(metadata, key) ? (metadata[key] ?? '') : ''),
    onText(token, text) {
      const others = Object.entries(token.metadata ?? {}).filter(([name]) => name !== key)
      editToken(token, { metadata: Object.fromEntries(text === '' ? others : [...others, [key, text]]) })
      return null
    },
    findState: (token) =>
      findCellState(token, ({ metadata }) => isObject(metadata) && Object.hasOwn(metadata, key)),
  }
}

function findCellState({ edit }: EditedToken, isChanged: (patch: JsonObject) => boolean) {
  if (!edit || !isChanged(edit.patch)) return undefined
  if (edit.conflict) return { problem: t.conflict }
  return edit.problem === null ? {} : { problem: describeEditProblem(edit.problem) }
}

/** Says why the changes to a token were not saved. */
export function describeEditProblem(problem: unknown): string {
  return hasCode(problem, 'not_found') ? strings.drawer.gone : describeError(problem)
}
