import { Button } from '@mantine/core'
import { type ComponentProps, useCallback } from 'react'
import { isFiltered } from '../../../../shared/conditions.ts'
import { useBaseUrl } from '../../../parts/connection/base-url.ts'
import { NoMatch } from '../../../parts/filters/no-match.tsx'
import { ListStates } from '../../../parts/resource-screen/list-states.tsx'
import { Empty } from '../../../ui/empty.tsx'
import gridStyles from '../../../ui/grid/grid.module.css'
import { Grid } from '../../../ui/grid/grid.tsx'
import { ActionButton } from '../../../ui/icon-buttons.tsx'
import { strings as ui } from '../../../ui/strings.ts'
import { Code } from '../../../ui/text/code.tsx'
import { strings } from '../strings.ts'
import { documentColumns } from './document-columns.tsx'
import { type ListedDocument, loadMoreDocuments, showDocuments, useDocuments } from './documents-store.ts'

const PLACEHOLDER_ROWS = 8
/** Loads the next page when this many rows remain below the view. */
const PREFETCH_ROWS = 60

type GridProps = ComponentProps<typeof Grid<ListedDocument>>
type Props = Pick<GridProps, 'handle' | 'active' | 'onActive' | 'onOpen' | 'listActions'> & {
  readonly onUpload: () => void
}

/** The rows of the list. Loads more pages as the end approaches. */
export function DocumentList({ onUpload, ...gridProps }: Props) {
  const { rows, next, loaded, problem, fresh, filter } = useDocuments()
  const hasMore = next !== null
  const view = useCallback((_first: number, last: number) => {
    const { rows, problem } = useDocuments.getState()
    if (problem === null && last >= rows.length - PREFETCH_ROWS) void loadMoreDocuments()
  }, [])
  return (
    <ListStates
      problem={problem}
      loaded={loaded}
      onRetry={showDocuments}
      isEmpty={rows.length === 0 && !hasMore}
      empty={isFiltered(filter) ? <NoMatch what={strings.many} /> : <NoDocuments onUpload={onUpload} />}
    >
      <Grid
        {...gridProps}
        label={strings.grid}
        columns={documentColumns}
        count={rows.length + (!loaded || (hasMore && problem === null) ? PLACEHOLDER_ROWS : 0)}
        row={(index) => rows[index]}
        keyOf={(row) => row.id}
        onView={view}
        classOf={(row) => (fresh.has(row.id) ? gridStyles.fresh : undefined)}
        below={
          problem !== null && (
            <div className={gridStyles.below} role="status">
              {strings.notLoaded}
              <ActionButton
                label={ui.retry}
                size="compact-xs"
                onClick={loaded ? loadMoreDocuments : showDocuments}
              />
            </div>
          )
        }
      />
    </ListStates>
  )
}

/** Explains an empty list and suggests the next step. */
function NoDocuments({ onUpload }: { onUpload: () => void }) {
  const t = strings.empty
  const url = useBaseUrl()
  return (
    <Empty
      icon="document"
      {...t}
      action={
        <>
          <Button onClick={onUpload}>{t.first}</Button>
          <span className="faint">{t.drop}</span>
        </>
      }
    >
      <Code text={formatUploadCommand(url)} what={strings.curl} wrap />
    </Empty>
  )
}

function formatUploadCommand(url: string): string {
  return [
    `curl ${url}/documents`,
    `-H 'SVC-API-KEY: ${strings.keyHint}'`,
    "-F 'document=@contract.pdf;type=application/pdf'",
    `-F 'request={"metadata":{"customer":"ada"}};type=application/json'`,
  ].join(' \\\n  ')
}
