import './applications.css'
import { Button } from '@mantine/core'
import { useEffect } from 'react'
import { readApplications, useApplications } from '../../parts/access/application-names.ts'
import { useLooking, useMay } from '../../parts/access/looking.ts'
import { LookingRefused } from '../../parts/access/looking-refused.tsx'
import { sentenceOf } from '../../parts/messages/sentence.ts'
import { go } from '../../parts/navigation/route.ts'
import { hrefOf } from '../../parts/navigation/route-text.ts'
import { useRows } from '../../parts/navigation/use-rows.ts'
import { followCounts } from '../../parts/tokens/counts-store.ts'
import { Empty } from '../../ui/empty.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { NotLoaded } from '../../ui/waiting.tsx'
import { applicationColumns } from './application-columns.tsx'
import { ApplicationPanel } from './application-panel.tsx'
import { DeleteApplication } from './delete-application.tsx'
import { strings } from './strings.ts'
import { followKeyUses, useKeyUses } from './uses-store.ts'

const t = strings
/** The number of placeholder rows while loading. */
const WAITING = 6

/** The list of applications, and one of them beside it. */
export function Applications() {
  const { applications, total, loaded, problem } = useApplications()
  const { as } = useLooking()
  const mayRead = useMay('application:read')
  const uses = useKeyUses()
  const list = useRows('applications', applications, { isOwner: as === null, copied: strings.copied })
  const { id, open: application, form, close, edit, deleting, setDeleting } = list
  useEffect(followCounts, [])
  useEffect(followKeyUses, [])

  // Only the owner may change an application.
  const create = () => as === null && go(hrefOf('applications', null, { new: '1' }))
  useKeys({ 'mod+n': create, n: create })

  if (!mayRead) {
    return (
      <>
        <div className="screen-head screen-head-line">
          <h1>{t.title}</h1>
        </div>
        <LookingRefused permission="application:read" />
      </>
    )
  }
  return (
    <>
      <div className="screen-head screen-head-line">
        <h1>{t.title}</h1>
        <div className="screen-head-space" />
        {as === null && (
          <Button leftSection={<Icon name="plus" size={14} />} onClick={create}>
            {t.create}
          </Button>
        )}
      </div>
      <div className="split">
        {problem !== null && !loaded ? (
          <div className="list-failure">
            <NotLoaded why={sentenceOf(problem)} onRetry={readApplications} />
          </div>
        ) : loaded && applications.length === 0 ? (
          <Empty
            icon="app"
            title={t.empty.title}
            text={t.empty.text}
            action={<Button onClick={create}>{t.create}</Button>}
          />
        ) : (
          <Grid
            {...list.shown}
            label={t.grid}
            columns={applicationColumns(uses, as === null)}
            count={loaded ? applications.length : WAITING}
            row={(index) => applications[index]}
            keyOf={(row) => row.id}
          />
        )}
        <ApplicationPanel
          id={id}
          mode={form ? (list.isNew ? 'new' : 'edit') : 'drawer'}
          onClose={close}
          onCancel={list.cancel}
          onLeave={list.leaveForm}
          onEdit={edit}
          onDelete={() => setDeleting(true)}
        />
      </div>
      <div className="screen-foot">
        <span role="status">{loaded && t.count(applications.length, total)}</span>
      </div>
      {deleting && application && (
        <DeleteApplication application={application} onDeleted={close} onClose={() => setDeleting(false)} />
      )}
    </>
  )
}
