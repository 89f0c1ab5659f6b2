import { Button, Group } from '@mantine/core'
import { useLooking } from '../../../parts/access/looking.ts'
import { curlOf } from '../../../parts/api/snippets.ts'
import { useBaseUrl } from '../../../parts/connection/base-url.ts'
import { currentRoute, go } from '../../../parts/navigation/route.ts'
import { hrefOf } from '../../../parts/navigation/route-text.ts'
import { tokenTypes } from '../../../parts/tokens/token-types.ts'
import { Empty } from '../../../ui/empty.tsx'
import { Code } from '../../../ui/text/code.tsx'
import { strings } from '../strings.ts'
import { chipsOf, type Filters, isFiltered, isQuery } from './token-filters.ts'

const t = strings.empty

/** Explains an empty list, and offers the next step. */
export function NoTokens({ filters, onCreate }: { filters: Filters; onCreate: () => void }) {
  const url = useBaseUrl()
  const { as } = useLooking()
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
          <Button variant="default" onClick={() => go(hrefOf('settings', 'transfer'))}>
            {t.import}
          </Button>
        </Group>
      }
    >
      <Code
        text={curlOf({ method: 'POST', url: `${url}/tokens`, key: t.keyHint, body })}
        what={t.curl}
        wrap
      />
    </Empty>
  )
}

/** Ways to a list that is not empty: without the text, without the last filter, without any. */
function Fewer({ filters }: { filters: Filters }) {
  const last = chipsOf(filters).at(-1)
  const { query } = currentRoute()
  const show = (next: Filters) => go(hrefOf('tokens', null, { ...next, sort: query.sort }))
  return (
    <Group gap="xs">
      {filters.q !== undefined && last && (
        <Button variant="default" onClick={() => show({ ...filters, q: undefined })}>
          {t.withoutText}
        </Button>
      )}
      {filters.q === undefined && last && isFiltered(last.without) && (
        <Button variant="default" onClick={() => show(last.without)}>
          {t.withoutLast}
        </Button>
      )}
      <Button variant="default" onClick={() => show({})}>
        {t.clear}
      </Button>
    </Group>
  )
}
