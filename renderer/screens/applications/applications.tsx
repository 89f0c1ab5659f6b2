import './applications.css'
import { Button } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { loadApplications, readApplications, useApplications } from '../../parts/application-names.ts'
import { followCounts } from '../../parts/counts-store.ts'
import { useLooking, useMay } from '../../parts/looking.ts'
import { LookingRefused } from '../../parts/looking-refused.tsx'
import { go, leaveFor, useRoute } from '../../parts/route.ts'
import { hrefOf } from '../../parts/route-text.ts'
import { sentenceOf } from '../../parts/sentence.ts'
import { strings } from '../../parts/strings.ts'
import { toast } from '../../parts/toast.tsx'
import { leaving } from '../../parts/unsaved.ts'
import { vault } from '../../parts/vault.ts'
import { copyText } from '../../ui/clipboard.ts'
import { Empty } from '../../ui/empty.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Grid, type GridHandle } from '../../ui/grid.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Panel } from '../../ui/panel.tsx'
import { TypedConfirm } from '../../ui/typed-confirm.tsx'
import { useKeys } from '../../ui/use-keys.ts'
import { NotLoaded } from '../../ui/waiting.tsx'
import { applicationColumns } from './application-columns.tsx'
import { ApplicationDrawer } from './application-drawer.tsx'
import { EditApplication } from './edit-application.tsx'
import { NewApplication } from './new-application.tsx'
import { followKeyUses, useKeyUses } from './uses-store.ts'

const t = strings.applications
/** Rows that stand for those on their way. */
const WAITING = 6

/** The programs that may call, and one of them beside. */
export function Applications() {
  const { id, query } = useRoute()
  const { applications, total, loaded, problem } = useApplications()
  const { as } = useLooking()
  const mayRead = useMay('application:read')
  const uses = useKeyUses()
  const [activeId, setActive] = useState<string | null>(null)
  const [deleting, setDeleting] = useState(false)
  const grid = useRef<GridHandle>(null)
  useEffect(followCounts, [])
  useEffect(followKeyUses, [])

  const current = id ?? activeId
  const active = applications.findIndex((each) => each.id === current)
  const application = applications.find((each) => each.id === id)
  // What changes an application is the owner's to do.
  const form = as === null && (query.new !== undefined || query.edit !== undefined)
  const create = () => as === null && go(hrefOf('applications', null, { new: '1' }))
  const edit = () => as === null && current !== null && go(hrefOf('applications', current, { edit: '1' }))

  const remove = () => setDeleting(as === null && application !== undefined)

  function show(index: number, open: boolean) {
    const row = applications[index]
    if (!row) return
    setActive(row.id)
    if (open) go(hrefOf('applications', row.id))
    else if (id !== null) go(hrefOf('applications', row.id), { replace: true })
  }
  function close() {
    setActive(id)
    go(hrefOf('applications'))
    grid.current?.focus()
  }

  /** Leaves a form for the drawer of an application or for the rows alone, and gives the focus back to these. */
  async function leaveForm(to: string | null) {
    await leaveFor(hrefOf('applications', to))
    grid.current?.focus()
  }
  const cancel = () => leaving(() => leaveForm(id))

  useKeys({ 'mod+n': create, n: create })
  useKeys({ escape: form ? cancel : close }, id !== null || form)
  useKeys(
    {
      e: edit,
      c: async () => {
        if (current === null) return
        await copyText(current)
        toast(strings.tokens.drawer.copied)
      },
      backspace: remove,
      delete: remove,
    },
    !form,
  )

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
            handle={grid}
            label={t.grid}
            columns={applicationColumns(uses, as === null)}
            count={loaded ? applications.length : WAITING}
            row={(index) => applications[index]}
            keyOf={(row) => row.id}
            active={active}
            onActive={(index) => show(index, false)}
            onOpen={(index) => show(index, true)}
          />
        )}
        {form && query.new !== undefined && (
          <NewApplication
            onClose={cancel}
            onCreated={async ({ id }) => {
              await loadApplications()
              await leaveForm(id)
            }}
          />
        )}
        {form && application && query.edit !== undefined && (
          <EditApplication
            key={application.id}
            application={application}
            onClose={cancel}
            onSaved={async () => {
              await loadApplications()
              await leaveForm(id)
            }}
          />
        )}
        {id !== null && loaded && !application && (
          <Panel label={t.drawer.label} title={t.drawer.label} onClose={close}>
            <div className="form">
              <Failure>{t.drawer.gone}</Failure>
            </div>
          </Panel>
        )}
        {application && !form && (
          <ApplicationDrawer
            application={application}
            onClose={close}
            onEdit={edit}
            onDelete={() => setDeleting(true)}
          />
        )}
      </div>
      <div className="screen-foot">
        <span role="status">{loaded && t.count(applications.length, total)}</span>
      </div>
      {deleting && application && (
        <TypedConfirm
          title={t.remove.title}
          word={application.name}
          action={t.remove.action}
          onConfirm={async () => {
            await vault.applications.remove({ id: application.id })
            await loadApplications()
            close()
            toast(t.remove.done(application.name))
          }}
          onClose={() => setDeleting(false)}
        >
          {t.remove.text}
        </TypedConfirm>
      )}
    </>
  )
}
