import { Button } from '@mantine/core'
import { formatSize } from '../../../shared/format-size.ts'
import { useDocumentCount } from '../../parts/documents/count-store.ts'
import { goTo } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { buildContainerTree } from '../../parts/tokens/counts.ts'
import { useCounts } from '../../parts/tokens/counts-store.ts'
import { getTypeName } from '../../parts/tokens/token-types.ts'
import { Icon } from '../../ui/icon.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Bars } from './bars.tsx'
import styles from './home.module.css'
import { strings } from './strings.ts'

const t = strings.tokens
const d = strings.documents
const MAX_BARS = 6

/** The vault's content: tokens by type and by container, and documents. */
export function TokensCard() {
  const { total, types, counts, loaded } = useCounts()
  // Leave out containers that hold only other containers.
  const stored = new Set(counts.map(({ container }) => container))
  const containers = buildContainerTree(counts)
    .filter(({ scope }) => stored.has(scope))
    .sort((a, b) => b.tokens - a.tokens)
  const otherTypes = types.slice(MAX_BARS)
  const otherTokens = otherTypes.reduce((sum, { tokens }) => sum + tokens, 0)
  return (
    <section className={styles.tile}>
      <div className={styles.tileHead}>
        <h2>{t.title}</h2>
        <span className="faint">{loaded && t.total(total.toLocaleString('en'))}</span>
      </div>
      {!loaded ? (
        <Loading lines={5} />
      ) : total === 0 ? (
        <>
          <p className="dim">{t.none}</p>
          <Button leftSection={<Icon name="plus" size={14} />} onClick={goTo('tokens', null, { new: '1' })}>
            {t.create}
          </Button>
        </>
      ) : (
        <div className={styles.tileColumns}>
          <Bars
            label={t.byType}
            more={
              otherTypes.length > 0 ? t.otherTypes(otherTokens.toLocaleString('en'), otherTypes.length) : null
            }
            bars={types.slice(0, MAX_BARS).map(({ type, tokens }) => ({
              key: type,
              label: getTypeName(type),
              value: tokens,
              href: toHref('tokens', null, { type }),
              name: t.show(getTypeName(type), tokens.toLocaleString('en')),
            }))}
          />
          <Bars
            label={t.byContainer}
            more={containers.length > MAX_BARS ? t.otherContainers(containers.length - MAX_BARS) : null}
            bars={containers.slice(0, MAX_BARS).map(({ scope, tokens }) => ({
              key: scope,
              label: <span className="mono">{scope}</span>,
              value: tokens,
              href: toHref('tokens', null, { container: scope }),
              name: t.show(scope, tokens.toLocaleString('en')),
            }))}
          />
        </div>
      )}
      <DocumentsLine />
    </section>
  )
}

function DocumentsLine() {
  const { counted } = useDocumentCount()
  if (!counted) return null
  const { documents, bytes, complete } = counted
  return (
    <a className={styles.tileLine} href={toHref('documents')}>
      <Icon name="document" size={14} />
      {documents === 0 ? d.none : complete ? d.count(documents, formatSize(bytes)) : d.countMore(documents)}
    </a>
  )
}
