import { Box } from '@mantine/core'
import { formatSize } from '../../../../shared/format-size.ts'
import { useActorName } from '../../../parts/access/application-names.ts'
import { createColumns, IconText } from '../../../parts/resource-screen/columns.tsx'
import type { Column } from '../../../ui/grid/grid-row.tsx'
import { MarkedSpan } from '../../../ui/text/marked-span.tsx'
import { MarkedText, markText } from '../../../ui/text/marked-text.tsx'
import { ShortId } from '../../../ui/text/short-id.tsx'
import { FaintTime } from '../../../ui/time/faint-time.tsx'
import { getPreviewKind } from '../content/preview.ts'
import { strings } from '../strings.ts'
import type { ListedDocument } from './documents-store.ts'

const icons = { image: 'image', text: 'code', none: 'document' } as const

export const documentColumns: readonly Column<ListedDocument>[] = createColumns(strings.columns, {
  id: { width: '104px', render: ({ id }) => <ShortId id={id} /> },
  type: {
    width: 'minmax(96px, 0.8fr)',
    render: ({ content_type }) => <IconText icon={icons[getPreviewKind(content_type)]} text={content_type} />,
  },
  metadata: { width: 'minmax(80px, 2fr)', render: ({ metadata }) => <Metadata of={metadata} /> },
  size: { width: '68px', right: true, render: ({ bytes }) => formatSize(bytes) },
  by: { width: 'minmax(52px, 0.6fr)', render: ({ created_by }) => <By id={created_by} /> },
  age: {
    width: 'minmax(58px, 84px)',
    right: true,
    render: ({ created_at }) => <FaintTime at={created_at} withoutSuffix />,
  },
})

function Metadata({ of: metadata }: { of: Readonly<Record<string, string>> }) {
  return Object.entries(metadata).map(([key, value]) => (
    <Box component="span" key={key} mr={12}>
      <MarkedSpan className="faint" text={key} /> <MarkedText text={value} />
    </Box>
  ))
}

function By({ id }: { id: string | undefined }) {
  return <span className="dim">{markText(useActorName()(id))}</span>
}
