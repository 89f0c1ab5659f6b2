import { formatCardTerm } from '../../../../shared/card-term.ts'
import type { Token } from '../../../../shared/schemas/token.ts'
import { DataCell } from '../../../parts/tokens/data-cell.tsx'
import { getTypeIcon, getTypeName, getTypeShortName } from '../../../parts/tokens/token-types.ts'
import { Crumbs } from '../../../ui/crumbs.tsx'
import type { CustomColumns } from '../../../ui/grid/column-menu.tsx'
import type { Column } from '../../../ui/grid/grid-row.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { MarkedSpan } from '../../../ui/text/marked-span.tsx'
import { MarkedText, markText } from '../../../ui/text/marked-text.tsx'
import { ShortId } from '../../../ui/text/short-id.tsx'
import { Countdown } from '../../../ui/time/countdown.tsx'
import { FaintTime } from '../../../ui/time/faint-time.tsx'
import { strings } from '../strings.ts'
import styles from '../tokens.module.css'
import { containersEdit, createPairEdit, metadataEdit } from './edit-cells.ts'
import type { EditedToken } from './token-edits.ts'

const t = strings

/** The columns of the list; a wider list shows more of them by default. */
export function createTokenColumns(pickContainer: (scope: string) => void): readonly Column<EditedToken>[] {
  return [
    { id: 'id', label: t.columns.id, width: '104px', render: ({ id }) => <ShortId id={id} /> },
    {
      id: 'type',
      label: t.columns.type,
      width: 'minmax(84px, 0.9fr)',
      render: ({ type }) => (
        <span className={styles.cellType} title={getTypeName(type)}>
          <Icon name={getTypeIcon(type)} size={14} />
          {getTypeShortName(type)}
        </span>
      ),
    },
    {
      id: 'data',
      label: t.columns.data,
      width: 'minmax(130px, 1.5fr)',
      render: (token) => <DataCell token={token} />,
    },
    {
      id: 'last4',
      label: t.columns.last4,
      width: '68px',
      from: 1500,
      render: ({ card, bank }) => <span className="mono">{card?.last4 ?? bank?.account_number_last4}</span>,
    },
    {
      id: 'brand',
      label: t.columns.brand,
      width: 'minmax(80px, 0.6fr)',
      from: 1500,
      render: ({ card }) => <span className="dim">{card?.brand && formatCardTerm(card.brand)}</span>,
    },
    {
      id: 'expiry',
      label: t.columns.expiry,
      width: '72px',
      from: 1900,
      render: ({ card }) =>
        card?.expiration_month !== undefined && (
          <span className="dim">
            {String(card.expiration_month).padStart(2, '0')}/{card.expiration_year}
          </span>
        ),
    },
    {
      id: 'container',
      label: t.columns.container,
      edit: containersEdit,
      width: 'minmax(84px, 1fr)',
      sorts: [{ by: 'container', direction: 'descending', label: t.order.container }],
      render: ({ containers }) => (
        <>
          <Crumbs path={containers[0] ?? '/'} label={t.inContainer} onPick={pickContainer} />
          {containers.length > 1 && <span className={styles.cellMore}> +{containers.length - 1}</span>}
        </>
      ),
    },
    {
      id: 'metadata',
      label: t.columns.metadata,
      edit: metadataEdit,
      width: 'minmax(110px, 1.4fr)',
      from: 1000,
      render: ({ metadata }) =>
        Object.entries(metadata ?? {}).map(([key, value]) => (
          <span key={key} className={styles.cellPair}>
            <MarkedSpan className="faint" text={key} /> <MarkedText text={value} />{' '}
          </span>
        )),
    },
    {
      id: 'fingerprint',
      label: t.columns.fingerprint,
      width: 'minmax(120px, 1fr)',
      from: 2200,
      render: ({ fingerprint }) => <span className="mono faint">{fingerprint}</span>,
    },
    {
      id: 'expires',
      label: t.columns.expires,
      width: 'minmax(84px, 0.4fr)',
      from: 1900,
      render: ({ expires_at }) => expires_at !== undefined && <Countdown at={expires_at} />,
    },
    {
      id: 'age',
      label: t.columns.age,
      width: 'minmax(60px, 84px)',
      right: true,
      // Sorting by ascending age puts the newest tokens first.
      sorts: [
        { by: 'newest', direction: 'ascending', label: t.order.newest },
        { by: 'oldest', direction: 'descending', label: t.order.oldest },
      ],
      render: ({ created_at }) => <FaintTime at={created_at} withoutSuffix />,
    },
  ]
}

const METADATA_PREFIX = 'metadata.'

/** One column per metadata key that the user chooses. */
export function createMetadataColumns(suggestions: readonly string[]): CustomColumns<EditedToken> {
  return {
    label: t.columns.addPair,
    suggestions,
    toId: (key) => `${METADATA_PREFIX}${key}`,
    findColumn: createMetadataColumn,
  }
}

// Defined once: a new function for each change of the rows would re-render every visible row when a page
// arrives.
function createMetadataColumn(id: string): Column<EditedToken> | undefined {
  if (!id.startsWith(METADATA_PREFIX)) return undefined
  const key = id.slice(METADATA_PREFIX.length)
  const renderPair = ({ metadata }: Token) =>
    metadata && Object.hasOwn(metadata, key) ? <MarkedText text={metadata[key] ?? ''} /> : undefined
  return {
    id,
    label: markText(key),
    width: 'minmax(80px, 0.8fr)',
    render: renderPair,
    edit: createPairEdit(key),
  }
}

const MAX_SCANNED_ROWS = 500

/** The metadata keys of the first rows, in alphabetical order. */
export function listMetadataKeys(rows: readonly Token[]): readonly string[] {
  return [
    ...new Set(rows.slice(0, MAX_SCANNED_ROWS).flatMap(({ metadata }) => Object.keys(metadata ?? {}))),
  ].sort()
}
