import { Button, Group } from '@mantine/core'
import { useViewAs } from '../../../parts/access/view-as.ts'
import { RequestSnippet } from '../../../parts/api/request-snippet.tsx'
import { goTo, navigate, readCurrentRoute } from '../../../parts/navigation/route.ts'
import { toHref } from '../../../parts/navigation/route-text.ts'
import { tokenTypes } from '../../../parts/tokens/token-types.ts'
import { Empty } from '../../../ui/empty.tsx'
import { ActionButton } from '../../../ui/icon-buttons.tsx'
import { strings } from '../strings.ts'
import { createChips, type Filters, isFiltered, isQuery } from './token-filters.ts'

const t = strings.empty

/** Explains an empty list and suggests the next step. */
export function NoTokens({ filters, onCreate }: { filters: Filters; onCreate: () => void }) {
  const { as } = useViewAs()
  if (isFiltered(filters)) {
    const isText = filters.q !== undefined && !isQuery(filters.q)
    const text = isText
      ? as
        ? t.noneFoundSeenText
        : t.noneFoundText(filters.q ?? '')
      : as
        ? t.noneSeenMatchText(as.name)
        : t.noneMatchText
    return <Empty icon="search" title={t.noneMatch} text={text} action={<Fewer filters={filters} />} />
  }
  if (as) return <Empty icon="token" title={t.noneSeen(as.name)} text={t.noneSeenText} />
  const body = { type: 'card', data: tokenTypes.card.sample }
  return (
    <Empty
      icon="token"
      title={t.title}
      text={t.text}
      action={
        <Group gap="xs">
          <Button onClick={onCreate}>{strings.create}</Button>
          <ActionButton label={t.import} onClick={goTo('settings', 'transfer')} />
        </Group>
      }
    >
      <RequestSnippet request={{ method: 'POST', path: '/tokens', key: t.keyHint, body }} wrap />
    </Empty>
  )
}

function Fewer({ filters }: { filters: Filters }) {
  const last = createChips(filters).at(-1)
  const { query } = readCurrentRoute()
  const showFilters = (next: Filters) => navigate(toHref('tokens', null, { ...next, sort: query.sort }))
  return (
    <Group gap="xs">
      {filters.q !== undefined && last && (
        <ActionButton label={t.withoutText} onClick={() => showFilters({ ...filters, q: undefined })} />
      )}
      {filters.q === undefined && last && isFiltered(last.without) && (
        <ActionButton label={t.withoutLast} onClick={() => showFilters(last.without)} />
      )}
      <ActionButton label={t.clear} onClick={() => showFilters({})} />
    </Group>
  )
}
