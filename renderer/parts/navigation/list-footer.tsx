import { type ListCounts, strings } from './strings.ts'

type Props = {
  /** The noun for the rows, in singular and plural. */
  readonly nouns: readonly [one: string, many: string]
  /** Null until the list is loaded. */
  readonly counts: ListCounts | null
}

/** How many rows the list has, and how many match the search. */
export function ListFooter({ nouns, counts }: Props) {
  return (
    <div className="screen-foot">
      <span role="status">{counts && strings.count(nouns, counts)}</span>
    </div>
  )
}
