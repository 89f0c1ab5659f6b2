import { Empty } from '../../ui/empty.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { navigate, useRoute } from '../navigation/route.ts'
import { toHref } from '../navigation/route-text.ts'
import { strings as t } from './strings.ts'

/** A list whose filter, which is in the route, no row meets. `what` is the plural of a row. */
export function NoMatch({ what }: { readonly what: string }) {
  const { screen, id, query } = useRoute()
  const { q: _, start: __, ...others } = query
  return (
    <Empty
      icon="search"
      title={t.noMatch(what)}
      text={t.noMatchText}
      action={
        <ActionButton
          label={t.clear}
          onClick={() => navigate(toHref(screen, id, others), { replace: true })}
        />
      }
    />
  )
}
