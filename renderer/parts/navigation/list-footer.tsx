import { type ListCounts, strings } from './strings.ts'

type Props = {
  /** What the list holds, in the singular and the plural. */
  readonly nouns: readonly [one: string, many: string]
  /** Null until the list is loaded. */
  readonly counts: ListCounts | null
}

/** How many there are below a list, and how many of them its search finds. */
export function ListFooter({ nouns, counts }: Props) {
  return (
    <div className="screen-foot">
      <span role="status">{counts && strings.count(nouns, counts)}</span>
    </div>
  )
}
