import type { TokenType } from '../../../../shared/token-types.ts'
import { emptyDraft, type TokenDraft } from '../../../parts/tokens/token-draft.ts'

/** The draft of a new token, with the data that was typed for other types. */
export type NewDraft = TokenDraft & {
  readonly dataByType: Readonly<Partial<Record<TokenType, TokenDraft['data']>>>
}

export const emptyNew: NewDraft = { ...emptyDraft, dataByType: {} }

/** Changes the type, and restores the data that was last typed for it. */
export function withType({ type: before, data, dataByType }: NewDraft, type: TokenType) {
  const all: NewDraft['dataByType'] = { ...dataByType, [before]: data }
  return { type, data: all[type] ?? {}, dataByType: all }
}

/** The input that closing the form would lose. A changed type alone does not count. */
export function getUnsavedInput({ type, data, dataByType, ...rest }: NewDraft): unknown {
  const filled = Object.values({ ...dataByType, [type]: data }).filter((each) =>
    Object.values(each).some(Boolean),
  )
  return [rest, filled]
}
